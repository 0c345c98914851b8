import { describe, expect, it } from 'vitest'
import { allPositive, chooseSeries, formatNumber, summarize } from './chart-series'

const series = (name: string, ...values: (number | null)[]) => ({ name, values })

describe('chooseSeries', () => {
  it('draws together what shares a scale', () => {
    const chosen = chooseSeries([
      series('loss', 2, 0.5),
      series('throughput', 1200),
      series('accuracy', 0.2, 0.9),
    ])
    expect([...chosen]).toEqual([0, 2])
  })

  it('leaves out what only counts', () => {
    expect([...chooseSeries([series('loss', 2), series('epoch', 1)])]).toEqual([0])
  })

  it('always draws the first, and never more than a few', () => {
    expect([...chooseSeries([series('zero', 0), series('one', 1)])]).toEqual([0])
    expect(chooseSeries(Array.from({ length: 9 }, (_, index) => series(`s${index}`, 1))).size).toBe(4)
    expect(chooseSeries([]).size).toBe(0)
  })
})

it('offers a logarithmic axis for positive numbers only', () => {
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
])('writes %d as %s', (value, text) => {
  expect(formatNumber(value)).toBe(text)
})

it('says what a chart shows', () => {
  const shape = {
    x: { name: 'epoch', values: [1, 2, 3] },
    series: [series('loss', null, 2, 0.5), series('other', 1)],
  }
  expect(summarize(shape, new Set([0]))).toBe('Line chart over epoch, 3 points. loss, from 2 to 0.5.')
})
