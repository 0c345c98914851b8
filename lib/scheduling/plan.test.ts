import { describe, expect, it } from 'vitest'
import { fits } from './fits'
import { plan } from './plan'
import { gpu, node, oneGpu, policy, projectShare, snapshot, waitingJob } from './testing/rows'
import type { PolicyName, ProjectShare, ResourceRequest, RunningJob, Snapshot, TaskPlacement } from './types'

const placed = (changes: Partial<Snapshot>) => plan(snapshot(changes)).placements.map(({ jobId }) => jobId)
const reasonsOf = (changes: Partial<Snapshot>) =>
  Object.fromEntries(plan(snapshot(changes)).waiting.map(({ jobId, reason }) => [jobId, reason]))
const asking = (changes: Partial<ResourceRequest>) => ({ request: { ...oneGpu, ...changes } })
const hour = 3_600_000

function running(
  id: string,
  task: Omit<TaskPlacement, 'rank'>,
  changes: Partial<RunningJob> = {},
): RunningJob {
  const { attempt, priority, notBefore, ...facts } = waitingJob(id)
  return { ...facts, tasks: [{ rank: 0, ...task }], startedAt: 0, terminating: false, ...changes }
}

/** A node with one GPU that a job holds. */
function busyNode(id: string, job: Partial<RunningJob> = {}) {
  const task = { nodeId: id, gpus: [{ id: `${id}/0`, milli: 1000 }], cpuMilli: 8000, memoryMib: 8000 }
  const state = node(id, 1, {
    usedCpuMilli: 8000,
    usedMemoryMib: 8000,
    gpus: [gpu(`${id}/0`, { allocatedMilli: 1000 })],
  })
  return { state, job: running(`on-${id}`, task, job) }
}

describe('queue order', () => {
  const waiting = [
    waitingJob('long', { submittedAt: 1, expectedMs: 600_000 }),
    waitingJob('urgent', { submittedAt: 3, expectedMs: 300_000, priority: 5 }),
    waitingJob('short', { submittedAt: 2, expectedMs: 1_000 }),
  ]
  it.each<[PolicyName, string[]]>([
    ['priority', ['urgent', 'long', 'short']],
    ['fcfs', ['long', 'short', 'urgent']],
    ['sjf', ['short', 'urgent', 'long']],
  ])('queue order under %s', (name, order) => {
    expect(placed({ policy: { ...policy, name }, nodes: [node('n', 3)], waiting })).toEqual(order)
  })

  it('lets waiting time outweigh priority: one hour counts like one step', () => {
    const contest = (submittedAt: number) =>
      placed({
        nodes: [node('n', 1)],
        waiting: [waitingJob('old'), waitingJob('new', { submittedAt, priority: 2 })],
      })
    expect(contest(hour)).toEqual(['new'])
    expect(contest(2 * hour + 1)).toEqual(['old'])
  })

  it('queue order under fair_share prefers the project with the least usage for its weight, then its user', () => {
    const of = (projectId: string, userId: string) => ({ projectId, userId })
    const share = (id: string, weight: number, usage: number, userUsage: [string, number][] = []) => {
      const used = userUsage.map(([userId, of]) => ({ userId, usage: of }))
      return projectShare({ id, weight, usage, userUsage: used })
    }
    const jobs = [
      waitingJob('a', of('heavy', 'x')),
      waitingJob('b', of('light', 'greedy')),
      waitingJob('c', of('light', 'modest')),
    ]
    const projects = [
      share('heavy', 1, 10 * hour),
      share('light', 4, 12 * hour, [
        ['greedy', 10 * hour],
        ['modest', 2 * hour],
      ]),
    ]
    const fair = { ...policy, name: 'fair_share' as const }
    expect(placed({ policy: fair, nodes: [node('n', 3)], waiting: jobs, projects })).toEqual(['c', 'b', 'a'])
  })

  it('puts best-effort jobs last', () => {
    const waiting = [waitingJob('a', asking({ pool: 'best-effort' })), waitingJob('b', { submittedAt: 9 })]
    expect(placed({ nodes: [node('n', 1)], waiting })).toEqual(['b'])
  })
})

describe('the wait reason of a job', () => {
  it('names the obstacle', () => {
    const waiting = [
      waitingJob('runs'),
      waitingJob('next', { submittedAt: 1 }),
      waitingJob('huge', { submittedAt: 2, ...asking({ gpuCount: 4 }) }),
      waitingJob('resting', { submittedAt: 3, notBefore: 10 }),
      waitingJob('gang', { submittedAt: 4, ...asking({ instances: 2 }) }),
    ]
    expect(reasonsOf({ nodes: [node('n', 1)], waiting })).toEqual({
      next: 'no_free_gpu',
      huge: 'never_fits',
      resting: 'backing_off',
      gang: 'never_fits',
    })
    const two = { nodes: [node('n', 1), busyNode('m').state], running: [busyNode('m').job] }
    expect(reasonsOf({ ...two, waiting: [waitingJob('gang', asking({ instances: 2 }))] })).toEqual({
      gang: 'gang_waiting',
    })
  })

  it('names closed nodes and blocked GPUs', () => {
    const waiting = [waitingJob('a')]
    expect(reasonsOf({ waiting })).toEqual({ a: 'no_node' })
    expect(reasonsOf({ waiting, nodes: [node('n', 1, { blocked: 'lost' })] })).toEqual({ a: 'no_node' })
    const closed = [node('n', 1, { blocked: 'paused' }), node('m', 0)]
    expect(reasonsOf({ waiting, nodes: closed })).toEqual({ a: 'node_unavailable' })
    expect(plan(snapshot({ waiting, nodes: [node('n', 1, { blocked: 'quarantined' })] })).waiting).toEqual([
      {
        jobId: 'a',
        reason: 'node_unavailable',
        detail: 'It waits for 1 node quarantined.',
        unavailable: ['n'],
      },
    ])
    const paused = node('n', 1, { gpus: [gpu('n/0', { blocked: 'paused' })] })
    expect(reasonsOf({ waiting, nodes: [paused] })).toEqual({ a: 'gpu_paused' })
    const outside = node('n', 1, { gpus: [gpu('n/0', { blocked: 'outside' })] })
    expect(reasonsOf({ waiting, nodes: [outside] })).toEqual({ a: 'gpu_busy_outside' })
  })

  it('names the limits of policy and project', () => {
    const waiting = [waitingJob('a'), waitingJob('b', { submittedAt: 1 })]
    const nodes = [node('n', 4)]
    const limited = (changes: Partial<ProjectShare>) => [projectShare(changes)]
    expect(reasonsOf({ nodes, waiting, policy: { ...policy, maxConcurrentJobs: 1 } })).toEqual({
      b: 'max_concurrent_jobs',
    })
    expect(reasonsOf({ nodes, waiting, policy: { ...policy, running: false } })).toEqual({
      a: 'stopped',
      b: 'stopped',
    })
    expect(reasonsOf({ nodes, waiting, projects: limited({ quotaMilli: 1000 }) })).toEqual({ b: 'quota' })
    const userLimits = [{ userId: 'u', milli: 1000 }]
    expect(reasonsOf({ nodes, waiting, projects: limited({ userLimits }) })).toEqual({
      b: 'max_concurrent_gpus',
    })
    const usedUp = { usedUp: 'All are used.', notBefore: Number.POSITIVE_INFINITY }
    expect(reasonsOf({ nodes, waiting: waiting.map((job) => ({ ...job, ...usedUp })) })).toEqual({
      a: 'budget',
      b: 'budget',
    })
  })

  it('lets jobs of other projects pass a project at its quota', () => {
    const projects = [projectShare({ quotaMilli: 0 })]
    const waiting = [waitingJob('a'), waitingJob('b', { submittedAt: 1, projectId: 'q' })]
    expect(placed({ nodes: [node('n', 1)], waiting, projects })).toEqual(['b'])
  })
})

describe('the limit of concurrent GPUs of a user', () => {
  const limited = (projectId: string, milli: number) =>
    projectShare({ id: projectId, userLimits: [{ userId: 'u', milli }] })
  const nodes = [node('n', 4)]

  it('lets jobs of other users, and jobs without GPUs, pass a user at the limit', () => {
    const waiting = [
      waitingJob('a', asking({ gpuMilli: 500 })),
      waitingJob('b', asking({ gpuMilli: 600 })),
      waitingJob('c', asking({ gpuCount: 0 })),
      waitingJob('d', { userId: 'v' }),
    ]
    expect(placed({ nodes, waiting, projects: [limited('p', 1000)] })).toEqual(['a', 'c', 'd'])
  })

  it('counts the GPUs in all projects, under the limit of the project of the next job', () => {
    const waiting = [
      waitingJob('a', { projectId: 'q' }),
      waitingJob('b'),
      waitingJob('c', { projectId: 'q' }),
      waitingJob('d', { projectId: 'unlimited' }),
    ]
    expect(placed({ nodes, waiting, projects: [limited('p', 1000), limited('q', 2000)] })).toEqual([
      'a',
      'c',
      'd',
    ])
  })
})

describe('the limit of GPUs at once of a token', () => {
  const nodes = [node('n', 8)]
  const tokenLimits = [{ tokenId: 't', name: 'night', milli: 2000 }]

  it('counts the jobs of the token in all projects, and lets jobs without the token pass', () => {
    const waiting = [
      waitingJob('a', { tokenId: 't' }),
      waitingJob('b', { tokenId: 't', projectId: 'q', ...asking({ gpuMilli: 500 }) }),
      waitingJob('c', { tokenId: 't', projectId: 'q', userId: 'v' }),
      waitingJob('d', { tokenId: 't', ...asking({ gpuCount: 0 }) }),
      waitingJob('e', { tokenId: 'other' }),
      waitingJob('f'),
    ]
    expect(placed({ nodes, waiting, tokenLimits })).toEqual(['a', 'b', 'd', 'e', 'f'])
    expect(reasonsOf({ nodes, waiting, tokenLimits })).toEqual({ c: 'token_max_gpus' })
  })

  it('does not keep a job of another project from its turn after a day, because a job of the token waits for its limit even longer', () => {
    const agent = { tokenId: 't', projectId: 'light', userId: 'agent' }
    const busy = busyNode('m', { ...agent, expectedMs: 40 * hour })
    const state = {
      now: 30 * hour,
      policy: { ...policy, name: 'fair_share' as const },
      nodes: [node('n', 1), busy.state],
      running: [busy.job],
      waiting: [
        waitingJob('over the limit', agent),
        waitingJob('old', { projectId: 'heavy', submittedAt: hour }),
        waitingJob('new', { projectId: 'middle', submittedAt: 29 * hour }),
      ],
      projects: [
        projectShare({ id: 'light' }),
        projectShare({ id: 'middle', usage: 500 * hour }),
        projectShare({ id: 'heavy', usage: 1000 * hour }),
      ],
      tokenLimits: [{ tokenId: 't', name: 'night', milli: 1000 }],
    }
    expect(placed(state)).toEqual(['old'])
  })

  it('applies beside the quota of a project and the limit of a user', () => {
    const waiting = ['a', 'b', 'c'].map((id) => waitingJob(id, { tokenId: 't' }))
    const withQuota = { nodes, waiting, tokenLimits, projects: [projectShare({ quotaMilli: 1000 })] }
    expect(reasonsOf(withQuota)).toEqual({ b: 'quota', c: 'quota' })
    const userLimits = [{ userId: 'u', milli: 3000 }]
    expect(reasonsOf({ nodes, waiting, tokenLimits, projects: [projectShare({ userLimits })] })).toEqual({
      c: 'token_max_gpus',
    })
  })
})

describe('backfill', () => {
  const busy = busyNode('m', { expectedMs: 100_000 })
  const nodes = [node('n', 1), busy.state]
  const gang = waitingJob('gang', asking({ instances: 2 }))
  const behind = (expectedMs: number) => [gang, waitingJob('behind', { submittedAt: 1, expectedMs })]

  it('lets a job pass if it ends before the first blocked one starts, and no other', () => {
    expect(placed({ nodes, running: [busy.job], waiting: behind(100_000) })).toEqual(['behind'])
    expect(placed({ nodes, running: [busy.job], waiting: behind(100_001) })).toEqual([])
    expect(reasonsOf({ nodes, running: [busy.job], waiting: behind(100_001) })).toMatchObject({
      behind: 'reserved',
    })
  })

  it('can be switched off', () => {
    const strict = { ...policy, backfill: false }
    expect(placed({ nodes, running: [busy.job], waiting: behind(1), policy: strict })).toEqual([])
  })

  it('reserves nothing for a job that can never start', () => {
    const never = waitingJob('never', asking({ gpuCount: 8 }))
    const after = waitingJob('after', { submittedAt: 1, expectedMs: 1e9 })
    expect(placed({ nodes: [node('n', 1)], waiting: [never, after] })).toEqual(['after'])
  })
})

describe('best effort', () => {
  it('is preempted for the first blocked job, with the least lost work', () => {
    const old = busyNode('m', { request: { ...oneGpu, pool: 'best-effort' }, startedAt: -9_000 })
    const young = busyNode('n', { request: { ...oneGpu, pool: 'best-effort' }, startedAt: -1_000 })
    const cluster = { nodes: [old.state, young.state], running: [old.job, young.job] }
    const { preemptions } = plan(snapshot({ ...cluster, waiting: [waitingJob('a'), waitingJob('b')] }))
    expect(preemptions).toEqual([{ jobId: 'on-n', forJobId: 'a' }])
    const terminating = { ...cluster, running: [old.job, { ...young.job, terminating: true }] }
    expect(plan(snapshot({ ...terminating, waiting: [waitingJob('a')] })).preemptions).toEqual([])
    const more = [waitingJob('c', asking({ pool: 'best-effort' }))]
    expect(plan(snapshot({ ...cluster, waiting: more })).preemptions).toEqual([])
  })

  it('runs in any pool; other jobs stay in their pool', () => {
    const on = (request: Partial<ResourceRequest>) =>
      fits({ ...oneGpu, ...request }, node('n', 1, { pool: 'reserved' }))
    expect(on({ pool: 'best-effort' }).ok).toBe(true)
    expect(on({ pool: 'reserved' }).ok).toBe(true)
    expect(on({})).toEqual({ ok: false, dimension: 'pool' })
  })
})

describe('a placement', () => {
  it('includes CPU and memory in proportion to its GPUs', () => {
    const { placements } = plan(snapshot({ nodes: [node('n', 4)], waiting: [waitingJob('a')] }))
    expect(placements[0]?.tasks[0]).toMatchObject({ cpuMilli: 2000, memoryMib: 2000 })
  })

  it('shares a GPU with other fractions, so that whole GPUs stay free', () => {
    const half = asking({ gpuMilli: 500 })
    const waiting = [waitingJob('a', half), waitingJob('b', half)]
    const { placements } = plan(snapshot({ nodes: [node('n', 2), node('m', 2)], waiting }))
    expect(new Set(placements.map(({ tasks }) => tasks[0]?.gpus[0]?.id)).size).toBe(1)
  })

  it('uses only allowed, unblocked GPUs of the right model with enough memory', () => {
    const on = (request: Partial<ResourceRequest>, wanted?: string[]) => {
      const fit = fits({ ...oneGpu, ...request }, node('n', 3), wanted)
      return fit.ok ? fit.task.gpus.map(({ id }) => id) : fit.dimension
    }
    expect(on({ allowedGpus: [2] })).toEqual(['n/2'])
    expect(on({ gpuMemoryMib: 30_000 })).toBe('gpu')
    expect(on({ gpuModel: 'a100' })).toEqual(['n/0'])
    expect(on({ gpuModel: 'H100' })).toBe('gpu')
    expect(on({ gpuModel: 'H100|A100' })).toEqual(['n/0'])
    expect(on({ memoryMib: 9000 })).toBe('memory')
    expect(on({ cpuMilli: 9000 })).toBe('cpu')
    expect(on({}, ['n/1'])).toEqual(['n/1'])
    expect(on({ allowedGpus: [0] }, ['n/1'])).toBe('gpu')
  })

  it('a placement of a gang uses as many nodes as requested', () => {
    const waiting = [waitingJob('gang', asking({ instances: 3, gpuCount: 2 }))]
    const { placements } = plan(snapshot({ nodes: [node('a', 2), node('b', 4), node('c', 2)], waiting }))
    const tasks = placements[0]?.tasks ?? []
    expect(tasks.map(({ rank }) => rank)).toEqual([0, 1, 2])
    expect(new Set(tasks.map(({ nodeId }) => nodeId))).toEqual(new Set(['a', 'b', 'c']))
    expect(tasks.every(({ gpus }) => gpus.length === 2)).toBe(true)
  })

  it('a placement of a job after its backoff is for its next attempt', () => {
    const at = (now: number) =>
      plan(
        snapshot({ now, nodes: [node('n', 1)], waiting: [waitingJob('a', { notBefore: 10, attempt: 1 })] }),
      )
    expect(at(9).placements).toEqual([])
    expect(at(10).placements[0]).toMatchObject({ jobId: 'a', attempt: 2 })
  })
})
