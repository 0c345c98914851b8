import { expect, it } from 'vitest'
import { plan } from '../plan'
import { node, oneGpu, snapshot, waitingJob } from '../testing/rows'
import type { RunningJob } from '../types'
import { expectedEnd } from './overdue'

it('is the expected end as long as that is in the future, and otherwise later than now', () => {
  expect(expectedEnd({ startedAt: 10, expectedMs: 100 }, 109)).toBe(110)
  expect(expectedEnd({ startedAt: 10, expectedMs: 100 }, 110)).toBe(135)
  expect(expectedEnd({ startedAt: 0, expectedMs: 100 }, 126)).toBe(156.25)
  for (const now of [100, 101, 1_000, 123_456, 1e12]) {
    const end = expectedEnd({ startedAt: 0, expectedMs: 100 }, now)
    expect(end).toBeGreaterThan(now)
    expect(end).toBeLessThanOrEqual(1.26 * now)
  }
  expect(expectedEnd({ startedAt: 0, expectedMs: 0 }, 0)).toBeGreaterThan(0)
})

it('an overdue job does not stop backfill', () => {
  const late: RunningJob = {
    ...waitingJob('late', { expectedMs: 1_000 }),
    tasks: [{ rank: 0, nodeId: 'n', gpus: [{ id: 'n/0', milli: 1000 }], cpuMilli: 0, memoryMib: 0 }],
    startedAt: 0,
    terminating: false,
  }
  const gpus = [0, 1].map((index) => ({
    ...node('n', 2).gpus[index],
    allocatedMilli: index === 0 ? 1000 : 0,
  }))
  const large = waitingJob('large', { request: { ...oneGpu, gpuCount: 2 } })
  const small = waitingJob('small', { submittedAt: 1, expectedMs: 100 })
  const placed = plan(
    snapshot({
      now: 1_100,
      nodes: [node('n', 2, { gpus: gpus as ReturnType<typeof node>['gpus'] })],
      running: [late],
      waiting: [large, small],
    }),
  ).placements.map(({ jobId }) => jobId)
  expect(placed).toEqual(['small'])
})
