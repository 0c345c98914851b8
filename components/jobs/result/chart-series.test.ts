import { describe, expect, it } from 'vitest'
import { allPositive, chooseSeries, formatValue, summarize } from './chart-series'

const series = (name: string, ...values: (number | null)[]) => ({ name, values })

describe('chooseSeries', () => {
  it('selects series with a similar scale', () => {
    const chosen = chooseSeries([
      series('loss', 2, 0.5),
      series('throughput', 1200),
      series('accuracy', 0.2, 0.9),
    ])
    expect([...chosen]).toEqual([0, 2])
  })

  it('leaves out counters', () => {
    expect([...chooseSeries([series('loss', 2), series('epoch', 1)])]).toEqual([0])
  })

  it('always selects the first series, and only a few', () => {
    expect([...chooseSeries([series('zero', 0), series('one', 1)])]).toEqual([0])
    expect(chooseSeries(Array.from({ length: 9 }, (_, index) => series(`s${index}`, 1))).size).toBe(4)
    expect(chooseSeries([]).size).toBe(0)
  })
})

it('allows a logarithmic axis only for positive numbers', () => {
  const shape = { x: { name: 'step', values: [1, 2] }, series: [series('a', 1, null), series('b', 0, 1)] }
  expect(allPositive(shape, new Set([0]))).toBe(true)
  expect(allPositive(shape, new Set([0, 1]))).toBe(false)
})

it.each([
  [0, '0'],
  [0.5, '0.5'],
  [0.031234567, '0.031235'],
  [0.0003, '3e-4'],
  [-12_400, '-12,400'],
  [123_456_789, '1.235e8'],
])('formats %d as %s', (value, text) => {
  expect(formatValue(value)).toBe(text)
})

it('describes the chart', () => {
  const shape = {
    x: { name: 'epoch', values: [1, 2, 3] },
    series: [series('loss', null, 2, 0.5), series('other', 1)],
  }
  expect(summarize(shape, new Set([0]))).toBe('Line chart over epoch, 3 points. loss, from 2 to 0.5.')
})
