import type { ResultFileRecord } from '@/lib/contract/records'

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

/** Collects measurements per GPU. A series that becomes too long drops every other point. */
export class GpuSeriesStore {
  private readonly series = new Map<string, JobGpuSeries>()

  take({ t, rank = 0, gpus }: Metric): void {
    const at = Date.parse(t) / 1000
    if (Number.isNaN(at)) return
    for (const { index, load, memory_used_mib } of gpus) {
      const key = `${rank}/${index}`
      const own = this.series.get(key) ?? { rank, index, samples: [] }
      this.series.set(key, own)
      own.samples.push({ at, load, memory_used_mib })
      if (own.samples.length > maxPoints) own.samples = own.samples.filter((_, nth) => nth % 2 === 0)
    }
  }

  clear(): void {
    this.series.clear()
  }

  /** Copies, so that React detects changes. */
  all(): JobGpuSeries[] {
    return [...this.series.values()].map((own) => ({ ...own, samples: [...own.samples] }))
  }
}
