import type { MetricSeries } from './contract'

type Points = Pick<MetricSeries, 'x' | 'y' | 'low' | 'high'>

/** Points in the order of x. */
interface Sorted {
  x: ArrayLike<number>
  y: ArrayLike<number>
}

interface Range {
  from?: number | undefined
  to?: number | undefined
}

/**
 * Reduces points to at most `points`. Each stands for an equal part of the x axis and has the mean of its values, and the
 * lowest and the highest: so a chart shows every peak, as a chart of all values would. (Min/max aggregation, as in
 * Jugel et al., "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014, with the mean as the line.) Whole numbers on
 * the x axis, such as steps, stay whole.
 */
export function downsample(series: Sorted, points: number, range: Range = {}): Points {
  const start = range.from === undefined ? 0 : firstFrom(series.x, range.from)
  const end = range.to === undefined ? series.x.length : firstFrom(series.x, range.to, true)
  if (end - start <= points) return copy(series, start, end)
  const low = series.x[start] ?? 0
  const width = ((series.x[end - 1] ?? 0) - low) / points
  const result = { x: [] as number[], y: [], low: [], high: [] } as Required<Points>
  for (let at = start; at < end; ) {
    const bucket = bucketOf(series.x[at] ?? 0, low, width, points)
    const first = at
    while (at < end && bucketOf(series.x[at] ?? 0, low, width, points) === bucket) at++
    addBucket(result, series, first, at)
  }
  return result
}

function bucketOf(x: number, low: number, width: number, points: number): number {
  return width > 0 ? Math.min(points - 1, Math.floor((x - low) / width)) : 0
}

function addBucket(result: Required<Points>, { x, y }: Sorted, start: number, end: number): void {
  let count = 0
  let mean = 0
  let meanX = 0
  let isWhole = true
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (let at = start; at < end; at++) {
    const value = y[at] ?? Number.NaN
    if (Number.isNaN(value)) continue
    count++
    // A running mean, because the sum of large values may not be finite.
    mean += value / count - mean / count
    meanX += ((x[at] ?? 0) - meanX) / count
    isWhole &&= Number.isInteger(x[at])
    if (value < low) low = value
    if (value > high) high = value
  }
  result.x.push(count === 0 ? (x[start] ?? 0) : isWhole ? Math.round(meanX) : meanX)
  result.y.push(count === 0 ? null : Math.min(high, Math.max(low, mean)))
  result.low.push(count === 0 ? null : low)
  result.high.push(count === 0 ? null : high)
}

function copy({ x, y }: Sorted, start: number, end: number): Points {
  const points: Points = { x: [], y: [] }
  for (let at = start; at < end; at++) {
    const value = y[at] ?? Number.NaN
    points.x.push(x[at] ?? 0)
    points.y.push(Number.isNaN(value) ? null : value)
  }
  return points
}

/** The position of the first x that is not below `limit`, or with `above` that is above it. */
function firstFrom(x: ArrayLike<number>, limit: number, above = false): number {
  let low = 0
  let high = x.length
  while (low < high) {
    const middle = (low + high) >> 1
    const value = x[middle] ?? 0
    if (above ? value <= limit : value < limit) low = middle + 1
    else high = middle
  }
  return low
}
