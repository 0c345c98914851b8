import type { MetricSeries } from '@/lib/metrics/contract'
import type { Summary } from '@/lib/metrics/contract-group-rows'
import { formatValue } from '../jobs/result/chart-series'
import type { Range } from './chart-settings'
import { formatSummary } from './summary-text'

/** One line of a chart: a metric of one job, or the mean of a group of jobs. */
export interface MetricLine {
  /** The id of the job or the group. */
  id: string
  label: string
  /** The colour and the dash pattern. */
  index: number
  series: MetricSeries
  /** Absent: the line of one job. */
  group?: GroupNumbers
}

/** The numbers of the mean of a group. The lowest and the highest values of its series are the edges of its spread. */
export interface GroupNumbers {
  /** Number of jobs that have the metric. */
  count: number
  /** What the jobs have at each x; null: no job has a value. */
  points: readonly (Summary | null)[]
  /** What the last values of the jobs are. */
  last: Summary | null
}

/** The columns of a line in a chart: its values, the lowest and highest ones, and the smoothed values. */
export const columnsPerLine = 4

type Values = readonly (number | null)[]

/**
 * An exponential moving average that starts without a bias to zero, as TensorBoard's. `weight` is from 0, which changes
 * nothing, to almost 1.
 */
export function smooth(values: Values, weight: number): (number | null)[] {
  if (weight === 0) return [...values]
  let average = 0
  let count = 0
  return values.map((value) => {
    if (value === null) return null
    count++
    average = average * weight + value * (1 - weight)
    return average / (1 - weight ** count)
  })
}

/** The tables of a chart, one for each line. A logarithmic axis has no place for values that are not positive. */
export function toTables(
  lines: readonly MetricLine[],
  { smoothing, logarithmic }: { smoothing: number; logarithmic: boolean },
): [number[], ...(number | null)[][]][] {
  const drawable = (values: Values) =>
    values.map((value) => (value === null || (logarithmic && value <= 0) ? null : value))
  return lines.map(({ group, series: { x, y, low = y, high = y } }) => {
    const bottom = group && logarithmic ? low.map((value, at) => aboveZero(value, group.points[at])) : low
    // A spread belongs to its mean. The lowest and the highest values of a point are what the job printed.
    const edge = (values: Values) => drawable(group ? smooth(values, smoothing) : values)
    return [
      [...x],
      drawable(smooth(y, smoothing)),
      edge(bottom),
      edge(high),
      smoothing > 0 ? drawable(y) : x.map(() => null),
    ]
  })
}

/** The lower edge of a spread on an axis that has no place for 0: there, the spread ends at the lowest value. */
function aboveZero(edge: number | null, point: Summary | null | undefined): number | null {
  return edge !== null && edge <= 0 && point ? point.min : edge
}

/** The number of the nearest point of a line; null: the line does not reach the place. */
export function pointAt({ series: { x } }: MetricLine, at: number): number | null {
  const [first, last] = [x[0], x.at(-1)]
  if (first === undefined || last === undefined) return null
  // The pointer is rarely exactly on the last point.
  const margin = (last - first) / 50
  if (at < first - margin || at > last + margin) return null
  let low = 0
  let high = x.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((x[middle] ?? 0) < at) low = middle + 1
    else high = middle
  }
  const before = x[low - 1]
  return before !== undefined && at - before < (x[low] ?? 0) - at ? low - 1 : low
}

/** A line as text: at a place of the x axis, or its last value. */
export function readLine(line: MetricLine, at: number | null): string {
  const { series, group } = line
  const point = at === null ? null : pointAt(line, at)
  if (group) {
    const summary = at === null ? group.last : point === null ? null : group.points[point]
    if (!summary) return '–'
    return `${formatSummary(summary)}${summary.count < group.count ? ` (n = ${summary.count})` : ''}`
  }
  const value = at === null ? series.last : point === null ? null : series.y[point]
  return value == null ? '–' : formatValue(value)
}

/** Returns true if the x axis has only whole numbers, such as steps. */
export function hasWholeAxis(lines: readonly MetricLine[]): boolean {
  return lines.every(({ series }) => series.x.every(Number.isInteger))
}

/** The first and the last x of all lines; null: there are no points. */
export function rangeOf(lines: readonly MetricLine[]): Range | null {
  const ends = lines.flatMap(({ series: { x } }) => [x[0], x.at(-1)]).filter((value) => value !== undefined)
  return ends.length === 0 ? null : { from: Math.min(...ends), to: Math.max(...ends) }
}

/**
 * The part of the y axis around most values: from the 2nd to the 98th percentile, and a quarter of that on both sides. It
 * does not reach far beyond the lowest and the highest value. Null: almost all values are equal.
 */
export function rangeWithoutOutliers(
  columns: readonly ArrayLike<number | null | undefined>[],
  logarithmic: boolean,
): Range | null {
  const values: number[] = []
  for (const column of columns)
    for (let row = 0; row < column.length; row++) {
      const value = column[row]
      if (value == null || (logarithmic && value <= 0)) continue
      values.push(logarithmic ? Math.log10(value) : value)
    }
  const sorted = Float64Array.from(values).sort()
  const at = (part: number) => sorted[Math.round(part * (sorted.length - 1))] ?? 0
  const margin = (at(0.98) - at(0.02)) / 4
  if (margin <= 0) return null
  const from = Math.max(at(0) - margin / 5, at(0.02) - margin)
  const to = Math.min(at(1) + margin / 5, at(0.98) + margin)
  return logarithmic ? { from: 10 ** from, to: 10 ** to } : { from, to }
}
