import { describe, expect, it } from 'vitest'
import { type Summary, summarize } from '@/lib/metrics/contract-group-rows'
import { groupLines, type JobGroup } from './group-lines'
import { type MetricLine, readLine, toTables } from './plot-data'
import { formatSummary, spreadOf } from './summary-text'

const lineOf = (id: string, x: number[], y: (number | null)[]): MetricLine => {
  const last = y.findLast((value) => value !== null) ?? null
  return { id, label: id, index: 0, series: { name: 'loss', count: x.length, not_finite: 1, last, x, y } }
}
const groupOf = (...jobs: string[]): JobGroup => ({ id: jobs.join(''), label: 'lr=0.1', index: 4, jobs })

/** The only line of a group. */
function meanOf(...lines: MetricLine[]): MetricLine {
  const [mean] = groupLines(lines, [groupOf(...lines.map(({ id }) => id))])
  if (!mean) throw new Error('no line')
  return mean
}

const spread = (...values: number[]) => {
  const summary = summarize(values) as Summary
  return [spreadOf(summary), formatSummary(summary)]
}

describe('a spread', () => {
  it('is one standard deviation around the mean, the values themselves if there are two, and none of one', () => {
    expect(spread(1, 2, 3)).toEqual([{ from: 1, to: 3 }, '2 ± 1'])
    expect(spread(4, 1)).toEqual([{ from: 1, to: 4 }, '2.5 (1 to 4)'])
    expect(spread(4)).toEqual([null, '4'])
    expect(spread(2, 2)).toEqual([{ from: 2, to: 2 }, '2 ± 0'])
    expect(spread(2, 2, 2)).toEqual([{ from: 2, to: 2 }, '2 ± 0'])
  })
})

describe('the line of a group', () => {
  it('is the mean of its jobs, with the spread as its edges and the colour of the group', () => {
    const mean = meanOf(
      lineOf('a', [1, 2], [1, 10]),
      lineOf('b', [1, 2], [2, 10]),
      lineOf('c', [1, 2], [3, 10]),
    )
    expect(mean).toMatchObject({ id: 'abc', label: 'lr=0.1', index: 4 })
    expect(mean.series).toEqual({
      name: 'loss',
      count: 6,
      not_finite: 3,
      last: 10,
      x: [1, 2],
      y: [2, 10],
      low: [1, 10],
      high: [3, 10],
    })
    expect(readLine(mean, 1)).toBe('2 ± 1')
    expect(readLine(mean, null)).toBe('10 ± 0')
  })

  it('has no edges where only one job has a value, and says how many jobs have one', () => {
    const mean = meanOf(lineOf('a', [1, 2], [1, 2]), lineOf('b', [1, 2, 3], [3, 4, 7]))
    expect(mean.series).toMatchObject({ x: [1, 2, 3], y: [2, 3, 7], low: [1, 2, null], high: [3, 4, null] })
    expect(readLine(mean, 2)).toBe('3 (2 to 4)')
    expect(readLine(mean, 3)).toBe('7 (n = 1)')
    // The last values of both, though one ended earlier.
    expect(readLine(mean, null)).toBe('4.5 (2 to 7)')
  })

  it('has the values between the points of a job, but none beyond them and none beside a gap', () => {
    const steps = lineOf('a', [0, 1, 2, 3, 4], [0, 1, 2, 3, 4])
    expect(meanOf(steps, lineOf('b', [1, 3], [11, 33])).series.y).toEqual([0, 6, 12, 18, 4])
    expect(meanOf(steps, lineOf('b', [0, 2, 4], [10, null, 14])).series.y).toEqual([5, 1, 2, 3, 9])
  })

  it('is missing if no job of the group has the metric', () => {
    expect(groupLines([lineOf('a', [1], [1])], [groupOf('b'), groupOf('a')])).toHaveLength(1)
    expect(groupLines([], [groupOf('a')])).toEqual([])
  })

  it('has a spread on a logarithmic axis too, where its lower edge would be below 0', () => {
    const jobs = [1, 1, 10].map((value, nth) => lineOf(`${nth}`, [1], [value]))
    const [table] = toTables([meanOf(...jobs)], { smoothing: 0, logarithmic: true })
    expect(table?.[2]).toEqual([1])
    expect(toTables([meanOf(...jobs)], { smoothing: 0, logarithmic: false })[0]?.[2]?.[0]).toBeLessThan(0)
  })

  it('is smoothed together with its spread, unlike the extremes of a job', () => {
    const jobs = [lineOf('a', [1, 2], [0, 4]), lineOf('b', [1, 2], [2, 8])]
    const [grouped] = toTables([meanOf(...jobs)], { smoothing: 0.5, logarithmic: false })
    expect(grouped?.[1]?.[1]).toBeCloseTo((1 * 0.25 + 6 * 0.5) / 0.75)
    expect(grouped?.[2]?.[1]).toBeCloseTo((0 * 0.25 + 4 * 0.5) / 0.75)
    const one = lineOf('a', [1, 2], [0, 4])
    const extremes = { ...one, series: { ...one.series, low: [0, 3], high: [0, 5] } }
    expect(toTables([extremes], { smoothing: 0.5, logarithmic: false })[0]?.[2]).toEqual([0, 3])
  })
})
