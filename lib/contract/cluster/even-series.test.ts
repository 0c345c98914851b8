import { describe, expect, it } from 'vitest'
import { EvenSeries, joinMeans, joinPeaks } from './even-series'

const sum = (first: number, second: number) => first + second

describe('a series with an even resolution', () => {
  it('is bounded, and every value stands for the same number of samples, however long it becomes', () => {
    const series = new EvenSeries<number>(100, 5, sum)
    for (let second = 0; second < 100_000; second += 5) series.add(second, 1)
    const { values, intervalS } = series
    expect(values.length).toBeLessThanOrEqual(100)
    expect(values.length).toBeGreaterThanOrEqual(50)
    expect(intervalS).toBe(5 * 2 ** 8)
    expect(new Set(values.slice(0, -1))).toEqual(new Set([intervalS / 5]))
    expect(values.reduce<number>((total, value) => total + (value ?? 0), 0)).toBe(20_000)
  })

  it('has gaps where there was no sample, and continues after a pause that is longer than all before', () => {
    const series = new EvenSeries<number>(4, 1, sum)
    series.add(0, 1)
    series.add(2, 2)
    expect(series.values).toEqual([1, null, 2])
    series.add(31, 3)
    expect(series).toMatchObject({ intervalS: 8, values: [3, null, null, 3] })
  })

  it('continues the values of another process', () => {
    const series = EvenSeries.of([1, null, 2], 4, 10, sum)
    series.add(39, 5)
    expect(series).toMatchObject({ intervalS: 10, values: [1, null, 2, 5] })
    series.add(40, 7)
    expect(series).toMatchObject({ intervalS: 20, values: [1, 7, 7] })
  })

  it('joins means by their number of samples, and keeps peaks', () => {
    expect(joinMeans(1, 4, [2, 1])).toBe(2)
    expect([joinMeans(null, 4, [2, 1]), joinMeans(1, null, [2, 1]), joinMeans(null, null, [1, 1])]).toEqual([
      4,
      1,
      null,
    ])
    expect([joinPeaks(1, 3), joinPeaks(null, 3), joinPeaks(-1, null), joinPeaks(null, null)]).toEqual([
      3,
      3,
      -1,
      null,
    ])
  })
})
