import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { couldFit, fits } from './fits'
import { type Plan, plan } from './plan'
import { node, oneGpu, policy, projectShare, snapshot } from './testing/rows'
import { occupied, type SimulatedJob, simulate } from './testing/simulate'
import type { JobFacts, NodeState, Policy, ResourceRequest, RunningJob, Snapshot } from './types'

/** Number of simulations for each property. */
const runs = { numRuns: 1_000 }

const requests: fc.Arbitrary<ResourceRequest> = fc.record({
  gpuCount: fc.constantFrom(0, 1, 1, 1, 2, 4),
  gpuMilli: fc.constant(1000),
  gpuMemoryMib: fc.constantFrom(null, null, 16_000, 32_000),
  cpuMilli: fc.constantFrom(null, null, 1000, 4000),
  memoryMib: fc.constantFrom(null, null, 1000, 6000),
  allowedGpus: fc.constantFrom(null, null, [0], [0, 1]),
  gpuModel: fc.constantFrom(null, null, 'a100'),
  instances: fc.constantFrom(1, 1, 1, 2),
  pool: fc.constantFrom('on-demand', 'on-demand', 'best-effort'),
})
const fractions = fc
  .constantFrom(100, 250, 500, 700)
  .map((gpuMilli): ResourceRequest => ({ ...oneGpu, gpuMilli }))

const clusters: fc.Arbitrary<NodeState[]> = fc
  .array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 })
  .map((sizes) => sizes.map((size, i) => node(`n${i}`, size)))

const policies: fc.Arbitrary<Policy> = fc.record({
  name: fc.constantFrom('priority', 'fcfs', 'sjf', 'fair_share'),
  running: fc.constant(true),
  maxConcurrentJobs: fc.constantFrom(null, null, 3),
  backfill: fc.boolean(),
  ageingMs: fc.constant(3_600_000),
  halfLifeMs: fc.constant(86_400_000),
})

const jobLists: fc.Arbitrary<SimulatedJob[]> = fc
  .array(
    fc.record({
      request: fc.oneof(requests, fractions),
      priority: fc.integer({ min: -2, max: 2 }),
      submittedAt: fc.integer({ min: 0, max: 200 }),
      runsMs: fc.integer({ min: 1, max: 100 }),
      expectedMs: fc.integer({ min: 1, max: 100 }),
      projectId: fc.constantFrom('p', 'q'),
      userId: fc.constantFrom('u', 'v'),
    }),
    { maxLength: 20 },
  )
  .map((jobs) => jobs.map((job, i) => ({ ...job, id: `j${i}`, attempt: 0, notBefore: null })))

const quotaValues = fc.constantFrom(null, null, 0, 1500, 3000)
/** A quota of one project, and the limits of concurrent GPUs of a user, which may differ by project. */
const quotas = fc
  .record({ quotaMilli: quotaValues, inP: quotaValues, inQ: quotaValues })
  .map(({ quotaMilli, inP, inQ }) => {
    const limitOf = (milli: number | null) => (milli === null ? [] : [{ userId: 'u', milli }])
    return [
      projectShare({ quotaMilli, userLimits: limitOf(inP) }),
      projectShare({ id: 'q', userLimits: limitOf(inQ) }),
    ]
  })

function expectWithinBounds({ nodes, running }: Snapshot, { placements }: Plan): void {
  for (const before of nodes) {
    const after = occupied(before, placements)
    expect(after.usedCpuMilli).toBeLessThanOrEqual(before.cpuMilli)
    expect(after.usedMemoryMib).toBeLessThanOrEqual(before.memoryMib)
    for (const gpu of after.gpus) expect(gpu.allocatedMilli).toBeLessThanOrEqual(1000)
  }
  expect(new Set([...running.map(({ id }) => id), ...placements.map(({ jobId }) => jobId)]).size).toBe(
    running.length + placements.length,
  )
}

function expectWhole({ waiting }: Snapshot, { placements }: Plan): void {
  for (const { jobId, tasks } of placements) {
    const request = waiting.find(({ id }) => id === jobId)?.request
    expect(new Set(tasks.map(({ nodeId }) => nodeId)).size).toBe(request?.instances)
    for (const { gpus } of tasks) {
      expect(gpus.map(({ milli }) => milli)).toEqual(new Array(request?.gpuCount).fill(request?.gpuMilli))
    }
  }
}

function expectWithinLimits({ policy, projects, running, waiting }: Snapshot, { placements }: Plan): void {
  const started = placements.flatMap(({ jobId }) => waiting.find(({ id }) => id === jobId) ?? [])
  const all = [...running, ...started]
  if (started.length > 0) expect(all.length).toBeLessThanOrEqual(policy.maxConcurrentJobs ?? all.length)
  const heldBy = (isHolder: (job: JobFacts) => boolean) => gpusOf(all.filter(isHolder))
  for (const { id, quotaMilli } of projects) {
    const held = heldBy(({ projectId }) => projectId === id)
    expect(held).toBeLessThanOrEqual(quotaMilli ?? held)
  }
  for (const { userId } of projects.flatMap(({ userLimits }) => userLimits)) {
    let held = heldBy((job) => job.userId === userId) - gpusOf(started.filter((job) => job.userId === userId))
    for (const job of started.filter((one) => one.userId === userId && one.request.gpuCount > 0)) {
      held += gpusOf([job])
      const { userLimits } = projects.find(({ id }) => id === job.projectId) ?? projectShare()
      expect(held).toBeLessThanOrEqual(userLimits.find((limit) => limit.userId === userId)?.milli ?? held)
    }
  }
}

function gpusOf(jobs: readonly JobFacts[]): number {
  return jobs.reduce((sum, { request }) => sum + request.gpuCount * request.gpuMilli * request.instances, 0)
}

/** Returns the snapshot after its plan was carried out. */
function carryOut(nodes: readonly NodeState[], state: Snapshot, { placements }: Plan): Snapshot {
  const started = placements.flatMap(({ jobId, tasks }) => {
    const job = state.waiting.find(({ id }) => id === jobId)
    return job ? [{ ...job, tasks, startedAt: state.now, terminating: false }] : []
  })
  const running = [...state.running, ...started]
  const waiting = state.waiting.filter(({ id }) => started.every((job) => job.id !== id))
  return { ...state, running, waiting, nodes: nodes.map((one) => occupied(one, running)) }
}

/** Returns the snapshot after the given jobs ended. */
function without(nodes: readonly NodeState[], state: Snapshot, ended: readonly string[]): Snapshot {
  const running = state.running.filter(({ id }) => !ended.includes(id))
  return { ...state, running, nodes: nodes.map((one) => occupied(one, running)) }
}

/**
 * Returns the job that a worker starts directly when another job ends: the first candidate for that node, if
 * it fits there.
 */
function dispatchNext({ waiting, nodes, policy }: Snapshot, next: readonly string[], ended: RunningJob) {
  const node = nodes.find(({ id }) => id === ended.tasks[0]?.nodeId)
  const candidates = next.flatMap((id) => waiting.find((job) => job.id === id) ?? [])
  const first = candidates.find(({ request }) => !policy.backfill || (node && couldFit(request, node)))
  if (!first || !node) return null
  const fit = fits(first.request, node)
  return fit.ok ? { ...first, tasks: [{ rank: 0, ...fit.task }], startedAt: 0, terminating: false } : null
}

/**
 * Ends all running jobs one by one without a scheduling pass. Returns the final snapshot and the started jobs
 * as a plan.
 */
function dispatchAll(
  nodes: readonly NodeState[],
  before: Snapshot,
  candidates: readonly string[],
): [Snapshot, Plan] {
  let state = before
  let next = candidates
  const started: RunningJob[] = []
  for (const ended of before.running) {
    state = without(nodes, state, [ended.id])
    const follows = dispatchNext(state, next, ended)
    if (!follows) continue
    next = next.filter((id) => id !== follows.id)
    started.push(follows)
    const running = [...state.running, follows]
    state = { ...state, running, nodes: nodes.map((one) => occupied(one, running)) }
  }
  const running = state.running.filter((job) => !started.includes(job))
  const placements = started.map(({ id, tasks }) => ({ jobId: id, attempt: 1, tasks }))
  return [
    { ...state, running },
    { placements, preemptions: [], waiting: [], next: [] },
  ]
}

describe('in every simulation', () => {
  it('no GPU exceeds 1000, nodes keep their size, gangs are whole, limits hold, and no job is lost', () => {
    fc.assert(
      fc.property(clusters, policies, jobLists, quotas, (nodes, policy, jobs, projects) => {
        const { started } = simulate({
          cluster: { policy, nodes, projects, workload: [] },
          jobs,
          check: (state, made) => {
            expectWithinBounds(state, made)
            expectWhole(state, made)
            expectWithinLimits(state, made)
            const told = [...made.placements, ...made.waiting].map(({ jobId }) => jobId)
            expect(told.sort()).toEqual(state.waiting.map(({ id }) => id).sort())
          },
        })
        for (const { id, submittedAt } of jobs) {
          expect(started.get(id) ?? submittedAt).toBeGreaterThanOrEqual(submittedAt)
        }
      }),
      runs,
    )
  })

  it('direct dispatch starts what the next pass would place, and respects the limits', () => {
    let handedOver = 0
    fc.assert(
      fc.property(clusters, policies, jobLists, quotas, (nodes, policy, jobs, projects) => {
        simulate({
          cluster: { policy, nodes, projects, workload: [] },
          jobs,
          check: (state, made) => {
            const after = carryOut(nodes, state, made)
            for (const ended of after.running) {
              const then = without(nodes, after, [ended.id])
              const next = dispatchNext(then, made.next, ended)
              if (!next) continue
              handedOver += 1
              expect(plan(then).placements.map(({ jobId }) => jobId)).toContain(next.id)
            }
            expectWithinLimits(...dispatchAll(nodes, after, made.next))
          },
        })
      }),
      runs,
    )
    expect(handedOver).toBeGreaterThan(100)
  })

  it('every job that can start does start', () => {
    fc.assert(
      fc.property(clusters, policies, jobLists, (nodes, policy, jobs) => {
        const { started } = simulate({ cluster: { policy, nodes, projects: [], workload: [] }, jobs })
        for (const { id, request } of jobs) {
          const possible = nodes.filter((each) => fits(request, each).ok).length >= request.instances
          expect(started.has(id)).toBe(possible)
        }
      }),
      runs,
    )
  })

  it('an equal snapshot gives an equal plan, whatever the order of its jobs', () => {
    fc.assert(
      fc.property(clusters, policies, jobLists, (nodes, policy, jobs) => {
        const check = (state: Snapshot, made: Plan) => {
          const shuffled = {
            ...state,
            waiting: [...state.waiting].reverse(),
            running: [...state.running].reverse(),
          }
          expect(plan(shuffled)).toEqual(made)
        }
        simulate({ cluster: { policy, nodes, projects: [], workload: [] }, jobs, check })
      }),
      { numRuns: 300 },
    )
  })

  it('backfill does not delay the first job that cannot start', () => {
    // Under fair_share, backfilled jobs are charged, which may change the order.
    const ordered = policies.filter(({ name }) => name !== 'fair_share')
    fc.assert(
      fc.property(clusters, ordered, jobLists, (nodes, policy, jobs) => {
        const exact = jobs.map((job) => ({ ...job, submittedAt: 0, expectedMs: job.runsMs }))
        const run = (backfill: boolean) =>
          simulate({
            cluster: {
              nodes,
              policy: { ...policy, backfill, maxConcurrentJobs: null },
              projects: [],
              workload: [],
            },
            jobs: exact.filter(({ request }) => request.pool !== 'best-effort'),
          })
        const [strict, filled] = [run(false), run(true)]
        const firstBlocked = strict.order.find((id) => (strict.started.get(id) ?? 0) > 0)
        if (firstBlocked === undefined) return
        expect(filled.started.get(firstBlocked)).toBeLessThanOrEqual(strict.started.get(firstBlocked) ?? 0)
      }),
      runs,
    )
  })

  it('no job waits if its start would delay nobody', () => {
    fc.assert(
      fc.property(clusters, jobLists, (nodes, jobs) => {
        const state = snapshot({ nodes, waiting: jobs })
        const { placements, waiting } = plan(state)
        const after = nodes.map((each) => occupied(each, placements))
        for (const { jobId, reason } of waiting) {
          const request = jobs.find(({ id }) => id === jobId)?.request ?? oneGpu
          const fitting = after.filter((each) => fits(request, each).ok).length
          if (reason !== 'reserved') expect(fitting).toBeLessThan(request.instances)
        }
      }),
      runs,
    )
  })
})

describe('in the long run', () => {
  const stream = (id: string, every: number, job: Partial<SimulatedJob>): SimulatedJob[] =>
    Array.from({ length: 400 }, (_, i) => ({
      id: `${id}${i}`,
      projectId: id,
      userId: 'u',
      attempt: 0,
      priority: 0,
      submittedAt: i * every,
      notBefore: null,
      expectedMs: 100,
      runsMs: 100,
      request: oneGpu,
      ...job,
    }))
  const nodes = [node('n', 4)]

  it.each(['priority', 'fcfs', 'sjf', 'fair_share'] as const)(
    'in the long run under %s a large job does not starve among small ones',
    (name) => {
      const large = { ...stream('large', 0, { request: { ...oneGpu, gpuCount: 4 } })[0], submittedAt: 500 }
      const { started } = simulate({
        cluster: { policy: { ...policy, name, ageingMs: 500 }, nodes, projects: [], workload: [] },
        jobs: [...stream('small', 20, {}), large as SimulatedJob],
      })
      expect(started.get('large0')).toBeLessThanOrEqual(1_200)
    },
  )

  it('low priority does not starve among high', () => {
    const low = { ...stream('low', 0, { priority: -5 })[0], submittedAt: 500 }
    const jobs = [...stream('high', 20, { priority: 5 }), low as SimulatedJob]
    const { order } = simulate({
      cluster: { policy: { ...policy, ageingMs: 300 }, nodes, projects: [], workload: [] },
      jobs,
    })
    const ahead = order.slice(0, order.indexOf('low0'))
    const latest = Math.max(
      ...jobs.filter(({ id }) => ahead.includes(id)).map(({ submittedAt }) => submittedAt),
    )
    // Ten steps of priority count like ten ageing intervals.
    expect(latest).toBeGreaterThan(500 + 9 * 300)
    expect(latest).toBeLessThanOrEqual(500 + 10 * 300)
  })

  it('fair shares are within 5 % of the weights', () => {
    const weights = [1, 2, 3]
    const projects = weights.map((weight) => {
      return projectShare({ id: `w${weight}-`, weight })
    })
    const jobs = weights.flatMap((weight) =>
      stream(`w${weight}-`, 0, {}).map((job, i) => ({ ...job, runsMs: 50 + ((i * 37) % 101) })),
    )
    const { held } = simulate({
      cluster: { policy: { ...policy, name: 'fair_share' }, nodes, projects, workload: [] },
      jobs,
      until: 12_000,
    })
    const sum = [...held.values()].reduce((total, each) => total + each, 0)
    for (const weight of weights) {
      const share = (held.get(`w${weight}-`) ?? 0) / sum
      expect(Math.abs(share / (weight / 6) - 1)).toBeLessThan(0.05)
    }
  })
})
