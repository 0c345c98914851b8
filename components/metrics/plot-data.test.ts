import { describe, expect, it } from 'vitest'
import type { MetricSeries } from '@/lib/metrics/contract'
import { curvePath } from './curve-path'
import { rangeOf, rangeWithoutOutliers, readLine, smooth, toTables } from './plot-data'

const series = (changes: Partial<MetricSeries> = {}): MetricSeries => ({
  name: 'loss',
  count: 3,
  not_finite: 0,
  last: 1,
  x: [1, 2, 4],
  y: [4, 2, 1],
  ...changes,
})
const lineOf = (own: MetricSeries) => ({ id: 'a', label: 'a', index: 0, series: own })

describe('smoothing', () => {
  it('changes nothing at 0, keeps gaps, and does not begin at zero', () => {
    expect(smooth([1, null, 3], 0)).toEqual([1, null, 3])
    const [first, gap, last] = smooth([8, null, 4], 0.5)
    expect(first).toBe(8)
    expect(gap).toBeNull()
    expect(last).toBeCloseTo((8 * 0.25 + 4 * 0.5) / 0.75)
  })
})

describe('the values of a chart', () => {
  it('are the line, the lowest, the highest, and with smoothing the original values', () => {
    const own = series({ low: [3, 1, 0], high: [5, 3, 2] })
    expect(toTables([lineOf(own)], { smoothing: 0, logarithmic: false })).toEqual([
      [
        [1, 2, 4],
        [4, 2, 1],
        [3, 1, 0],
        [5, 3, 2],
        [null, null, null],
      ],
    ])
    const [table] = toTables([lineOf(own)], { smoothing: 0.5, logarithmic: false })
    expect(table?.[4]).toEqual([4, 2, 1])
  })

  it('have no place on a logarithmic axis if they are not positive', () => {
    const [table] = toTables([lineOf(series({ y: [4, 0, -1] }))], { smoothing: 0, logarithmic: true })
    expect(table?.[1]).toEqual([4, null, null])
  })

  it('can be read at any place', () => {
    const line = lineOf(series({ y: [4, null, 1] }))
    expect([0, 0.99, 1.4, 2.4, 3.5, 4.01, 9].map((at) => readLine(line, at))).toEqual([
      '–',
      '4',
      '4',
      '–',
      '1',
      '1',
      '–',
    ])
    expect(readLine(line, null)).toBe('1')
    expect(rangeOf([line, lineOf(series({ x: [-1, 0], y: [1, 1] }))])).toEqual({ from: -1, to: 4 })
    expect(rangeOf([lineOf(series({ x: [], y: [] }))])).toBeNull()
  })
})

describe('a small curve', () => {
  it('goes from the lowest to the highest value, and breaks at gaps', () => {
    expect(curvePath(series())).toBe('M0.0 2.0L80.0 26.0L240.0 38.0')
    expect(curvePath(series({ y: [4, null, 1] }))).toBe('M0.0 2.0M240.0 38.0')
  })

  it('may have one value or none', () => {
    expect(curvePath(series({ x: [1], y: [4] }))).toBe('M120.0 20.0h0.01')
    expect(curvePath(series({ x: [1], y: [null] }))).toBe('')
  })
})

describe('the y axis without outliers', () => {
  const values = Array.from({ length: 1000 }, (_, nth) => 1 - nth / 1000)

  it('leaves out a peak, but not the ends of a curve', () => {
    const range = rangeWithoutOutliers([values.with(543, 9), values.map(() => null)], false)
    expect(range?.from).toBeLessThan(0.001)
    expect(range?.to).toBeGreaterThan(1)
    expect(range?.to).toBeLessThan(1.3)
    const all = rangeWithoutOutliers([values], false)
    expect(all?.to).toBeLessThan(1.1)
  })

  it('is measured in magnitudes on a logarithmic axis, and has no place for 0', () => {
    const decades = values.map((value) => 10 ** (-6 * value))
    const range = rangeWithoutOutliers([[0, ...decades.with(3, 1e9)]], true)
    expect(range?.from).toBeGreaterThan(1e-8)
    expect(range?.from).toBeLessThan(1.1e-6)
    expect(range?.to).toBeGreaterThan(1)
    expect(range?.to).toBeLessThan(100)
  })

  it('does not exist for equal values, one value or none', () => {
    expect(rangeWithoutOutliers([[2, 2, null]], false)).toBeNull()
    expect(rangeWithoutOutliers([[2]], false)).toBeNull()
    expect(rangeWithoutOutliers([[], [null, undefined]], true)).toBeNull()
  })
})
