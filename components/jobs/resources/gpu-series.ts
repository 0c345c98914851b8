import type { ResultFileRecord } from '@/lib/contract/records'

type Metric = Extract<ResultFileRecord, { type: 'metric' }>

/** The measurements of one GPU of a job. */
export interface JobGpuSeries {
  rank: number
  index: number
  /** Unix time in seconds. */
  at: number[]
  load: (number | null)[]
  memory_used_mib: (number | null)[]
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
      const own = this.of(rank, index)
      own.at.push(at)
      own.load.push(load)
      own.memory_used_mib.push(memory_used_mib)
      if (own.at.length > maxPoints) thin(own)
    }
  }

  clear(): void {
    this.series.clear()
  }

  /** Copies, so that React detects changes. */
  all(): JobGpuSeries[] {
    return [...this.series.values()].map((own) => ({
      ...own,
      at: [...own.at],
      load: [...own.load],
      memory_used_mib: [...own.memory_used_mib],
    }))
  }

  private of(rank: number, index: number): JobGpuSeries {
    const key = `${rank}/${index}`
    const known = this.series.get(key)
    if (known) return known
    const made: JobGpuSeries = { rank, index, at: [], load: [], memory_used_mib: [] }
    this.series.set(key, made)
    return made
  }
}

function thin(series: JobGpuSeries): void {
  const everyOther = <Value>(values: Value[]) => values.filter((_, index) => index % 2 === 0)
  series.at = everyOther(series.at)
  series.load = everyOther(series.load)
  series.memory_used_mib = everyOther(series.memory_used_mib)
}
