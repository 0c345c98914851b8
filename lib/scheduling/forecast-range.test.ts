import { expect, it } from 'vitest'
import { rangeOf, sampleStarts } from './forecast-range'
import { node, policy, snapshot, waitingJob } from './testing/rows'
import type { PolicyName } from './types'

const nodes = [node('n', 1)]

it('samples nothing if all run times are certain', () => {
  const waiting = [waitingJob('a', { possibleMs: [60_000, 60_000] }), waitingJob('b')]
  expect([...sampleStarts(snapshot({ nodes, waiting }))]).toEqual([])
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
  const range = rangeOf(100, [80, 120, 90, 115], { now: 50, policy })
  expect(range.earliest).toBe(74)
  expect(range.expected).toBe(101)
  expect(range.latest).toBe(155)
  expect(rangeOf(100, [60, 120], { now: 99, policy }).earliest).toBe(99)
})

it('ends later under policies in which jobs that are submitted later go first', () => {
  const latest = (name: PolicyName) => rangeOf(100, [], { now: 0, policy: { ...policy, name } }).latest
  expect(latest('fcfs')).toBe(120)
  expect(latest('fair_share')).toBe(225)
  expect(rangeOf(0, [], { now: 0, policy })).toEqual({ earliest: 0, expected: 0, latest: 0 })
})
