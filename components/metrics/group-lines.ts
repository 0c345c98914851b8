import type { MetricSeries } from '@/lib/metrics/contract'
import { summarize } from '@/lib/metrics/contract-group-rows'
import type { MetricLine } from './plot-data'
import { spreadOf } from './summary-text'

/** Jobs whose mean is one line in the charts. */
export interface JobGroup {
  id: string
  label: string
  /** Its colour. */
  index: number
  /** The ids of its jobs. */
  jobs: readonly string[]
}

/** The mean of each group whose jobs have lines, with its spread. */
export function groupLines(lines: readonly MetricLine[], groups: readonly JobGroup[]): MetricLine[] {
  return groups.flatMap(({ id, label, index, jobs }) => {
    const series = lines.filter((line) => jobs.includes(line.id)).map((line) => line.series)
    return series.length === 0 ? [] : [{ id, label, index, ...meanOf(series) }]
  })
}

/**
 * The mean at each x of at least one series. Between two points, a series has the value of the straight line between them. Before
 * its first and after its last point, it does not count.
 */
function meanOf(all: readonly MetricSeries[]): Pick<MetricLine, 'series' | 'group'> {
  const x = [...new Set(all.flatMap((series) => series.x))].toSorted((one, other) => one - other)
  const columns = all.map((series) => valuesAt(series, x))
  const points = x.map((_, at) => summarize(columns.map((column) => column[at])))
  const spreads = points.map((point) => point && spreadOf(point))
  const last = summarize(all.map((series) => series.last ?? undefined))
  return {
    series: {
      name: all[0]?.name ?? '',
      count: sumOf(all.map(({ count }) => count)),
      not_finite: sumOf(all.map(({ not_finite }) => not_finite)),
      last: last?.mean ?? null,
      x,
      y: points.map((point) => point?.mean ?? null),
      low: spreads.map((spread) => spread?.from ?? null),
      high: spreads.map((spread) => spread?.to ?? null),
    },
    group: { count: all.length, points, last },
  }
}

/** The values of a series at sorted places; undefined: it has none there. */
function valuesAt({ x, y }: MetricSeries, places: readonly number[]): (number | undefined)[] {
  let next = 0
  return places.map((place) => {
    while (next < x.length && (x[next] ?? 0) < place) next++
    const [to, value] = [x[next], y[next] ?? undefined]
    if (to === place) return value
    const [from, before] = [x[next - 1], y[next - 1] ?? undefined]
    if (from === undefined || to === undefined || before === undefined || value === undefined)
      return undefined
    const part = (place - from) / (to - from)
    return before * (1 - part) + value * part
  })
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
