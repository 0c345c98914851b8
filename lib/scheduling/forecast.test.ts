import fc from 'fast-check'
import { expect, it } from 'vitest'
import { forecast } from './forecast'
import { node, oneGpu, policy, projectShare, snapshot, waitingJob } from './testing/rows'
import { occupied, simulate } from './testing/simulate'
import type { Policy, ResourceRequest, RunningJob, Snapshot } from './types'

const workload = [{ request: oneGpu, weight: 1 }]

it('returns positions and start times, and no time for jobs that cannot start', () => {
  const huge = waitingJob('huge', { request: { ...oneGpu, gpuCount: 9 } })
  const waiting = [waitingJob('b', { submittedAt: 1 }), waitingJob('a'), huge]
  expect(forecast(snapshot({ now: 7, nodes: [node('n', 1)], waiting }))).toEqual([
    { jobId: 'a', position: 1, startsAt: 7, after: null },
    { jobId: 'b', position: 2, startsAt: 60_007, after: 'a' },
    { jobId: 'huge', position: 3, startsAt: null, after: null },
  ])
  const pressing = waitingJob('pressing', { submittedAt: 9, priority: 9 })
  const later = forecast(snapshot({ nodes: [node('n', 1)], waiting: [...waiting, pressing] }), 1)
  expect(later.map(({ jobId }) => jobId)).toEqual(['pressing', 'a', 'huge', 'b'])
  const stopped = snapshot({ nodes: [node('n', 1)], waiting, policy: { ...policy, running: false } })
  expect(forecast(stopped).map(({ startsAt }) => startsAt)).toEqual([null, null, null])
})

it('names the running job for whose end a job waits, directly or through other waiting jobs', () => {
  const nodes = [node('n', 1), node('m', 1)]
  const runs = (id: string, nodeId: string, expectedMs: number): RunningJob => {
    const { attempt, priority, notBefore, ...facts } = waitingJob(id, { expectedMs })
    const gpus = [{ id: `${nodeId}/0`, milli: 1000 }]
    const tasks = [{ rank: 0, nodeId, gpus, cpuMilli: 8000, memoryMib: 8000 }]
    return { ...facts, tasks, startedAt: 0, terminating: false }
  }
  const running = [runs('short', 'n', 10), runs('long', 'm', 100)]
  const waiting = [0, 1, 2].map((i) => waitingJob(`j${i}`, { submittedAt: i, expectedMs: 30 }))
  const state = snapshot({ nodes: nodes.map((each) => occupied(each, running)), running, waiting })
  const causes = forecast(state).map(({ jobId, startsAt, after }) => [jobId, startsAt, after])
  expect(causes).toEqual([
    ['j0', 10, 'short'],
    ['j1', 40, 'short'],
    ['j2', 70, 'short'],
  ])
  const gang = waitingJob('gang', { request: { ...oneGpu, instances: 2 } })
  expect(forecast({ ...state, waiting: [gang] })[0]).toMatchObject({ startsAt: 100, after: 'long' })
})

it('waits for the end of a retry backoff and of an overdue job', () => {
  const resting = waitingJob('resting', { notBefore: 5_000 })
  expect(forecast(snapshot({ nodes: [node('n', 1)], waiting: [resting] }))[0]?.startsAt).toBe(5_000)
  const late = { ...waitingJob('late'), tasks: [], startedAt: -100_000, terminating: false }
  const full = { ...policy, maxConcurrentJobs: 1 }
  const behind = snapshot({
    nodes: [node('n', 1)],
    waiting: [waitingJob('a')],
    running: [late],
    policy: full,
  })
  // It has run for 100 s instead of 60 s, so it is expected to run for 60 s × 1.25³.
  expect(forecast(behind)[0]?.startsAt).toBeCloseTo(17_187.5, 6)
})

interface Asked {
  request: ResourceRequest
  priority: number
  runsMs: number
  projectId: string
  userId: string
  tokenId?: string | null
}

interface Limits {
  name: Policy['name']
  /** GPU quota of the project `p`. */
  quotaMilli: number | null
  /** GPU quota of the user `u` in each project. */
  userMilli: number | null
  /** Limit of GPUs at once of the token `t`. */
  tokenMilli?: number | null
}

/** Compares forecasts from the first snapshot, and from one in the middle of a simulation, with the starts in it. */
function expectExact(
  list: Asked[],
  sizes: number[],
  { name, quotaMilli, userMilli, tokenMilli = null }: Limits,
): void {
  // The simulation does not decay usage.
  const undecayed = { ...policy, halfLifeMs: Number.POSITIVE_INFINITY }
  const waiting = list.map((job, i) => ({ ...waitingJob(`j${i}`), ...job, expectedMs: job.runsMs }))
  const nodes = sizes.map((size, i) => node(`n${i}`, size))
  const projects = ['p', 'q'].map((id) => {
    const userLimits = userMilli === null ? [] : [{ userId: 'u', milli: userMilli }]
    return projectShare({ id, quotaMilli: id === 'p' ? quotaMilli : null, userLimits })
  })
  const states: Snapshot[] = []
  const tokenLimits = tokenMilli === null ? [] : [{ tokenId: 't', name: 'night', milli: tokenMilli }]
  const cluster = { nodes, policy: { ...undecayed, name }, projects, tokenLimits, workload }
  const { started } = simulate({ cluster, jobs: waiting, check: (state) => states.push(state) })
  for (const state of [states[0], states[states.length >> 1]]) {
    for (const { jobId, startsAt } of state ? forecast(state) : []) {
      expect(startsAt).toBe(started.get(jobId) ?? null)
    }
  }
}

it('is exact if quota is reserved for a job that is found to be blocked in the same pass', () => {
  const job = (
    projectId: string,
    userId: string,
    runsMs = 1,
    asked: Partial<ResourceRequest> = {},
  ): Asked => {
    const request = { ...oneGpu, gpuMilli: 1000, ...asked }
    return { request, priority: userId === 'v' ? 1 : 0, runsMs, projectId, userId }
  }
  const two = { instances: 2 }
  const list = [
    ...[job('p', 'u'), job('p', 'u'), job('p', 'u'), job('q', 'u', 1, { gpuCount: 4 })],
    ...[job('p', 'v', 1, two), job('p', 'v', 2, two), job('q', 'u', 3), job('p', 'u')],
  ]
  expectExact(list, [4, 2], { name: 'priority', quotaMilli: 4000, userMilli: 4000 })
})

it('is exact if the expected times are exact', () => {
  const jobs = fc.array(
    fc.record({
      request: fc
        .record({
          gpuCount: fc.constantFrom(1, 1, 2, 4),
          gpuMilli: fc.constant(1000),
          instances: fc.constantFrom(1, 1, 2),
        })
        .map((asked) => ({ ...oneGpu, ...asked })),
      priority: fc.integer({ min: -2, max: 2 }),
      runsMs: fc.integer({ min: 1, max: 100 }),
      projectId: fc.constantFrom('p', 'q'),
      userId: fc.constantFrom('u', 'v'),
      tokenId: fc.constantFrom(null, 't'),
    }),
    { minLength: 1, maxLength: 20 },
  )
  const clusters = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 })
  const names = fc.constantFrom<Policy['name']>('priority', 'fcfs', 'sjf', 'fair_share')
  const quotas = fc.constantFrom(null, null, 2000, 4000)
  fc.assert(
    fc.property(
      jobs,
      clusters,
      names,
      quotas,
      quotas,
      quotas,
      (list, sizes, name, quotaMilli, userMilli, tokenMilli) =>
        expectExact(list, sizes, { name, quotaMilli, userMilli, tokenMilli }),
    ),
    { numRuns: 1_000 },
  )
})
