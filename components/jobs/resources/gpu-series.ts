import { EvenSeries, joinMeans, joinPeaks } from '@/lib/contract/cluster/even-series'
import type { ResultFileRecord } from '@/lib/contract/output/records'

type Metric = Extract<ResultFileRecord, { type: 'metric' }>

interface Sample {
  /** Unix time in seconds. */
  at: number
  load: number | null
  memory_used_mib: number | null
}

/** The measurements of one GPU of a job. */
export interface JobGpuSeries {
  rank: number
  index: number
  samples: Sample[]
}

/** Far more points than a small chart can show. */
const maxPoints = 4000
const firstIntervalS = 1

interface GpuCurve {
  rank: number
  index: number
  /** Unix time of the first and the last sample. */
  from: number
  to: number
  samples: EvenSeries<Sample>
}

/** Collects measurements per GPU. A long series has means of the load and peaks of the memory. */
export class GpuSeriesStore {
  private readonly curves = new Map<string, GpuCurve>()

  take({ t, rank = 0, gpus }: Metric): void {
    const at = Date.parse(t) / 1000
    if (Number.isNaN(at)) return
    for (const { index, load, memory_used_mib } of gpus) {
      const key = `${rank}/${index}`
      const known = this.curves.get(key)
      const own = known ?? { rank, index, from: at, to: at, samples: newSeries() }
      if (!known) this.curves.set(key, own)
      own.to = Math.max(own.to, at)
      own.samples.add(at - own.from, { at, load, memory_used_mib })
    }
  }

  clear(): void {
    this.curves.clear()
  }

  /** Copies, so that React detects changes. */
  all(): JobGpuSeries[] {
    return [...this.curves.values()].map(({ rank, index, to, samples }) => {
      const known = samples.values.flatMap((sample) => sample ?? [])
      // The curve reaches to the last sample, which a longer part of the time may contain.
      return {
        rank,
        index,
        samples: known.map((own, nth) => (nth === known.length - 1 ? { ...own, at: to } : own)),
      }
    })
  }
}

function newSeries(): EvenSeries<Sample> {
  return new EvenSeries<Sample>(maxPoints, firstIntervalS, (first, second, counts) => ({
    at: first.at,
    load: joinMeans(first.load, second.load, counts),
    memory_used_mib: joinPeaks(first.memory_used_mib, second.memory_used_mib),
  }))
}
