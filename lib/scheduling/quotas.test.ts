import { describe, expect, it } from 'vitest'
import { node, oneGpu, policy, projectShare, waitingJob } from './testing/rows'
import { type SimulatedJob, simulate } from './testing/simulate'

/** Each with the part of a snapshot that sets it. */
const quotas = [
  ['quota of a project', { projects: [projectShare({ quotaMilli: 4000 })] }],
  ['limit of a user', { projects: [projectShare({ userLimits: [{ userId: 'u', milli: 4000 }] })] }],
  [
    'limit of a token',
    { projects: [projectShare()], tokenLimits: [{ tokenId: 't', name: 'night', milli: 4000 }] },
  ],
] as const

function job(
  id: string,
  submittedAt: number,
  gpuCount: number,
  changes: Partial<SimulatedJob> = {},
): SimulatedJob {
  const waiting = waitingJob(id, {
    tokenId: 't',
    submittedAt,
    expectedMs: 100,
    request: { ...oneGpu, gpuCount },
  })
  return { ...waiting, runsMs: 100, ...changes }
}

/** A stream of one-GPU jobs that exceeds the quota, and one job that needs all of the quota. */
const jobs = [...Array.from({ length: 400 }, (_, i) => job(`small${i}`, i * 20, 1)), job('large', 500, 4)]

describe.each(quotas)('under the %s', (_, limits) => {
  for (const name of ['priority', 'fcfs', 'sjf', 'fair_share'] as const) {
    it(`under ${name} a large job does not starve among small ones at the quota`, () => {
      const cluster = {
        policy: { ...policy, name },
        nodes: [node('n', 8)],
        ...limits,
        workload: [],
      }
      const { started } = simulate({ cluster, jobs })
      // The jobs of the first 500 ms that precede it end by then.
      expect(started.get('large')).toBeLessThanOrEqual(1_000)
      expect(started.size).toBe(jobs.length)
    })
  }

  it('jobs that end before the large job can start pass it, and so do jobs that fit beside it', () => {
    const list = [
      job('long', 0, 2, { expectedMs: 1_000, runsMs: 1_000 }),
      job('large', 1, 3),
      job('short', 2, 1, { expectedMs: 50, runsMs: 50 }),
      job('too long', 3, 2, { expectedMs: 2_000, runsMs: 2_000 }),
      job('beside', 4, 1, { expectedMs: 2_000, runsMs: 2_000 }),
    ]
    const cluster = { policy, nodes: [node('n', 8)], ...limits, workload: [] }
    const { started } = simulate({ cluster, jobs: list })
    expect([...started]).toEqual([
      ['long', 0],
      ['short', 2],
      ['beside', 4],
      ['large', 1_000],
      ['too long', 1_100],
    ])
  })

  it('without backfill no job with the same quota passes it', () => {
    const list = [job('long', 0, 3), job('large', 1, 4), job('short', 2, 1, { expectedMs: 1, runsMs: 1 })]
    const strict = { ...policy, backfill: false }
    const { order } = simulate({
      cluster: { policy: strict, nodes: [node('n', 8)], ...limits, workload: [] },
      jobs: list,
    })
    expect(order).toEqual(['long', 'large', 'short'])
  })
})
