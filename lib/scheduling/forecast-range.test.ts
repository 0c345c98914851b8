import { expect, it } from 'vitest'
import { rangeOf, sampleStarts } from './forecast-range'
import { node, snapshot, waitingJob } from './testing/rows'

const nodes = [node('n', 1)]

it('samples nothing if all run times are certain', () => {
  const waiting = [waitingJob('a', { possibleMs: [60_000, 60_000] }), waitingJob('b')]
  expect([...sampleStarts(snapshot({ nodes, waiting }))]).toEqual([])
  expect(rangeOf(7, [], 0)).toEqual({ earliest: 7, latest: 7 })
})

it('uses each quarter of the possible run times once, and gives equal samples for equal snapshots', () => {
  const first = waitingJob('a', { possibleMs: [10, 20, 30, 40] })
  const waiting = [first, waitingJob('b', { submittedAt: 1 })]
  const starts = () => [...sampleStarts(snapshot({ nodes, waiting }))].map((startOf) => startOf('b'))
  expect(starts().sort((x, y) => x - y)).toEqual([10, 20, 30, 40])
  expect(starts()).toEqual(starts())
})

it('expects a job beyond the look-ahead after the last one inside', () => {
  const waiting = [0, 1, 2].map((i) => waitingJob(`j${i}`, { submittedAt: i, possibleMs: [10, 20] }))
  for (const startOf of sampleStarts(snapshot({ nodes, waiting }), 2))
    expect(startOf('j2')).toBe(startOf('j1'))
})

it('has a range that contains the forecast and the samples, and does not begin before now', () => {
  const range = rangeOf(100, [80, 120, 90, 110], 50)
  expect(range.earliest).toBe(74)
  expect(range.latest).toBe(152.5)
  expect(rangeOf(100, [60, 120], 99).earliest).toBe(99)
})
