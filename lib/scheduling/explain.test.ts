import { describe, expect, it } from 'vitest'
import type { Waiting } from './explain'
import { plan } from './plan'
import { gpu, node, oneGpu, projectShare, snapshot, waitingJob } from './testing/rows'
import { occupied } from './testing/simulate'
import type { NodeState, ResourceRequest, RunningJob, Snapshot } from './types'

/** Returns the reason why a single job with this request waits. */
function why(request: Partial<ResourceRequest>, changes: Partial<Snapshot>): Omit<Waiting, 'jobId'> {
  const state = snapshot({ waiting: [waitingJob('a', { request: { ...oneGpu, ...request } })], ...changes })
  const [told] = plan(state).waiting
  if (!told) throw new Error('The job does not wait. Change the request or the snapshot.')
  const { jobId: _, ...cause } = told
  return cause
}

/** The nodes, with a job that holds the given share of some of their GPUs. */
function withRunningJob(
  nodes: NodeState[],
  gpus: Record<string, number>,
  { tokenId = null, gpuCount = 1 }: { tokenId?: string | null; gpuCount?: number } = {},
): Partial<Snapshot> {
  const tasks = nodes.map((each, rank) => ({
    rank,
    nodeId: each.id,
    gpus: each.gpus.flatMap(({ id }) => (gpus[id] ? [{ id, milli: gpus[id] }] : [])),
    cpuMilli: 0,
    memoryMib: 0,
  }))
  const { attempt, priority, notBefore, ...facts } = waitingJob('holds', {
    tokenId,
    request: { ...oneGpu, gpuCount },
  })
  const running: RunningJob = { ...facts, tasks, startedAt: 0, terminating: false }
  return { nodes: nodes.map((each) => occupied(each, [running])), running: [running] }
}

const whole = { cpuMilli: 0, memoryMib: 0 }

describe('the detail of a shortage names', () => {
  it('GPUs: all in use, too few on one node, or too little of one GPU', () => {
    const nodes = [node('n', 2), node('m', 2)]
    const most = withRunningJob(nodes, { 'n/0': 1000, 'm/0': 1000 })
    expect(why({ ...whole, gpuCount: 2 }, most)).toEqual({
      reason: 'no_free_gpu',
      detail: 'It needs 2 GPUs on one node, and no node has that many free.',
    })
    const all = withRunningJob(nodes, { 'n/0': 1000, 'n/1': 1000, 'm/0': 1000, 'm/1': 1000 })
    expect(why(whole, all).detail).toBe('All suitable GPUs are in use.')
    const parts = withRunningJob([node('n', 1)], { 'n/0': 700 })
    expect(why({ ...whole, gpuMilli: 500 }, parts).detail).toBe(
      'No suitable GPU has 0.5 of its capacity free.',
    )
  })

  it('CPU or memory if GPUs are free', () => {
    const nodes = [node('n', 2, { usedCpuMilli: 8000 })]
    expect(why({}, { nodes }).detail).toBe('A GPU is free, but its node does not have enough free CPU.')
    expect(why({ gpuCount: 2 }, { nodes }).detail).toBe(
      'GPUs are free, but no node with a free GPU has enough free CPU.',
    )
    expect(why({ gpuCount: 0 }, { nodes }).detail).toBe('Not enough CPU is free.')
    const memory = [node('n', 2, { usedMemoryMib: 8000 })]
    expect(why({}, { nodes: memory }).detail).toBe(
      'A GPU is free, but its node does not have enough free memory.',
    )
  })
})

describe('a blocked GPU is the reason', () => {
  const paused = node('n', 2, { gpus: [gpu('n/0'), gpu('n/1', { blocked: 'paused' })] })

  it('a blocked GPU is the reason if the job cannot start without it, even while other GPUs are in use', () => {
    expect(why({ ...whole, gpuCount: 2 }, withRunningJob([paused], { 'n/0': 1000 })).reason).toBe(
      'gpu_paused',
    )
    expect(
      why({ ...whole, instances: 2, gpuCount: 2 }, withRunningJob([paused, node('m', 2)], { 'm/0': 500 }))
        .reason,
    ).toBe('gpu_paused')
    const outside = node('n', 1, { gpus: [gpu('n/0', { blocked: 'outside' })] })
    expect(why(whole, { nodes: [outside] }).reason).toBe('gpu_busy_outside')
  })

  it('a blocked GPU is the reason and the reason lists exactly the blocked GPUs that the job could use', () => {
    const outside = gpu('m/0', { blocked: 'outside' })
    const other = gpu('m/1', { blocked: 'paused', model: 'Tesla T4' })
    const nodes = [paused, node('m', 2, { gpus: [outside, other] }), node('k', 1, { blocked: 'paused' })]
    expect(why({ ...whole, gpuCount: 2, gpuModel: 'A100' }, { nodes })).toMatchObject({
      reason: 'gpu_paused',
      unavailable: ['n/1'],
    })
    expect(why({ ...whole, instances: 2, gpuModel: 'A100' }, { nodes })).toMatchObject({
      reason: 'gpu_paused',
      unavailable: ['n/1', 'm/0'],
    })
  })

  it('a blocked GPU is the reason but not if other jobs may end first', () => {
    const full = withRunningJob([paused], { 'n/0': 1000, 'n/1': 1000 })
    expect(why(whole, full).reason).toBe('no_free_gpu')
  })
})

it('a closed node is the reason, and the reason lists the nodes that an admin or failures closed', () => {
  const blocks = ['lost', 'paused', 'draining', 'quarantined'] as const
  const nodes = blocks.map((blocked) => node(blocked, 1, { blocked }))
  expect(why(whole, { nodes: [...nodes, node('small', 0)] })).toEqual({
    reason: 'node_unavailable',
    detail: 'It waits for 1 node without a worker, 1 node paused, 1 node draining, 1 node quarantined.',
    unavailable: ['paused', 'quarantined'],
  })
})

describe('closed nodes are mentioned while open nodes are in use', () => {
  const closed = [node('m', 1, { blocked: 'paused' }), node('k', 1, { blocked: 'lost' })]

  it('closed nodes are mentioned while open nodes are in use if they have capacity for the job, with the ids of those that an admin closed', () => {
    const busy = withRunningJob([node('n', 1), ...closed], { 'n/0': 1000 })
    expect(why(whole, busy)).toEqual({
      reason: 'no_free_gpu',
      detail:
        'All suitable GPUs are in use. Closed nodes have enough capacity: 1 node paused, 1 node without a worker.',
      unavailable: ['m'],
    })
    const full = withRunningJob([node('n', 1), ...closed], { 'n/0': 1000, 'm/0': 1000, 'k/0': 1000 })
    expect(why(whole, full)).toEqual({ reason: 'no_free_gpu', detail: 'All suitable GPUs are in use.' })
  })

  it('closed nodes are mentioned while open nodes are in use if they have capacity for all missing instances', () => {
    const nodes = [node('n', 1), node('o', 1), node('p', 1), ...closed]
    const one = withRunningJob(nodes, { 'n/0': 1000, 'k/0': 1000 })
    expect(why({ ...whole, instances: 3 }, one).detail).toBe(
      'It needs 3 nodes at once; 2 are free. Closed nodes have enough capacity: 1 node paused.',
    )
    const two = withRunningJob(nodes, { 'n/0': 1000, 'o/0': 1000, 'k/0': 1000 })
    expect(why({ ...whole, instances: 3 }, two).detail).toBe('It needs 3 nodes at once; 1 is free.')
  })
})

describe('the detail of never_fits names what is missing', () => {
  const nodes = [node('n', 2), node('m', 2)]
  it.each<[Partial<ResourceRequest>, string]>([
    [{ gpuCount: 8 }, 'it asks for 8 GPUs, and the largest node has 2'],
    [{ gpuModel: 'H100' }, 'it asks for 1 GPU of the model H100, and the nodes have NVIDIA A100'],
    [
      { gpuModel: 'H100', memoryMib: 256 },
      'it asks for 1 GPU of the model H100, and the nodes have NVIDIA A100',
    ],
    [{ gpuMemoryMib: 152_588 }, 'it asks for 1 GPU with 160 GB, and the largest GPU has 25.1 GB'],
    [{ allowedGpus: [7, 8] }, 'it asks for 1 GPU numbered 7, 8, and no node has one'],
    [
      { gpuCount: 3, gpuMilli: 1000, instances: 2 },
      'it asks for 2 nodes with 3 GPUs each, and the largest node has 2',
    ],
    [{ instances: 3 }, 'it asks for 3 nodes, and only 2 nodes have what it needs'],
    [{ memoryMib: 65_536 }, 'it asks for 64 GB of memory, and the largest node has 7.8 GB'],
    [{ gpuCount: 0, cpuMilli: 16_000 }, 'it asks for 16 cores, and the largest node has 8'],
    [
      { gpuCount: 8, memoryMib: 65_536 },
      'it asks for 8 GPUs and 64 GB of memory, and no node has more than 2 such GPUs or 7.8 GB of memory',
    ],
    [{ pool: 'reserved' }, 'it asks for the pool reserved, which has no node'],
  ])('%j', (request, why_) => {
    expect(why(request, { nodes })).toEqual({
      reason: 'never_fits',
      detail: `This job cannot start: ${why_}.`,
    })
  })

  it('the detail of never_fits names what is missing and the pool if another pool has nodes', () => {
    const mixed = [...nodes, node('r', 8, { pool: 'reserved' })]
    expect(why({ gpuCount: 8 }, { nodes: mixed }).detail).toBe(
      'This job cannot start: it asks for 8 GPUs, and the largest node of the pool on-demand has 2.',
    )
    expect(
      why({ gpuCount: 2, instances: 3, pool: 'on-demand' }, { nodes: [...mixed, node('k', 1)] }).detail,
    ).toBe(
      'This job cannot start: it asks for 3 nodes with 2 GPUs each, and only 2 nodes of the pool on-demand have what it needs.',
    )
  })

  it('the detail of never_fits names what is missing if each node lacks another part of the request', () => {
    const apart = [node('n', 4), node('m', 1, { memoryMib: 256_000 })]
    expect(why({ gpuCount: 4, memoryMib: 131_072 }, { nodes: apart }).detail).toBe(
      'This job cannot start: it asks for 4 GPUs and 128 GB of memory, and no node has all of it.',
    )
  })
})

it('a GPU that its node does not find now is the reason, as long as it may come back', () => {
  const absentGpus = [gpu('n/1')]
  expect(why({ ...whole, gpuCount: 2 }, { nodes: [node('n', 1, { name: 'lab-a', absentGpus })] })).toEqual({
    reason: 'gpu_busy_outside',
    detail: 'It waits for GPU 1 of lab-a.',
    unavailable: [],
  })
  const others = [
    node('n', 1, { name: 'lab-a', absentGpus: [...absentGpus, gpu('n/2', { model: 'NVIDIA H100' })] }),
    node('r', 1, { name: 'lab-r', pool: 'reserved', absentGpus: [gpu('r/1')] }),
  ]
  expect(why({ ...whole, gpuCount: 2, gpuModel: 'A100' }, { nodes: others }).detail).toBe(
    'It waits for GPU 1 of lab-a.',
  )
  const missing = node('n', 2, { name: 'lab-a', gpus: [gpu('n/0'), gpu('n/1', { blocked: 'missing' })] })
  expect(why({ ...whole, gpuCount: 2 }, { nodes: [missing] }).reason).toBe('gpu_busy_outside')
  expect(why({ ...whole, gpuCount: 3 }, { nodes: [missing] }).reason).toBe('never_fits')
})

it('closed nodes are named, if they are few', () => {
  const lost = node('a', 1, { name: 'lab-a', blocked: 'lost' })
  const nodes = [lost, node('b', 1, { name: 'lab-b', blocked: 'draining' })]
  expect(why(whole, { nodes })).toMatchObject({
    reason: 'node_unavailable',
    detail: 'It waits for lab-a (without a worker), lab-b (draining).',
  })
})

it('the detail of a quota says whether waiting helps', () => {
  const project = projectShare({ quotaMilli: 1000 })
  const nodes = [node('n', 4)]
  expect(why({ gpuCount: 2 }, { nodes, projects: [project] }).detail).toBe(
    'This job cannot start: it asks for 2 GPUs, and the quota is 1.',
  )
  const used = withRunningJob(nodes, { 'n/0': 1000 })
  expect(why({}, { ...used, projects: [project] }).detail).toBe(
    'It holds 1 of 1 GPUs, and the job asks for 1.',
  )
})

it('the detail of the limit of concurrent GPUs says what the user holds', () => {
  const limited = (milli: number) => [projectShare({ userLimits: [{ userId: 'u', milli }] })]
  const nodes = [node('n', 4)]
  expect(why({ gpuCount: 2 }, { nodes, projects: limited(1000) })).toEqual({
    reason: 'max_concurrent_gpus',
    detail: 'This job cannot start: it asks for 2 GPUs, and the limit is 1.',
  })
  const used = withRunningJob(nodes, { 'n/0': 1000 })
  expect(why({ gpuCount: 2 }, { ...used, projects: limited(2500) }).detail).toBe(
    'They hold 1 of 2.5 GPUs, and the job asks for 2.',
  )
})

it('the detail of the limit of a token names the token, what it may use and what it uses', () => {
  const limited = (milli: number) => ({ tokenLimits: [{ tokenId: 't', name: 'night', milli }] })
  const waiting = [waitingJob('a', { tokenId: 't', request: { ...oneGpu, gpuCount: 2 } })]
  const nodes = [node('n', 8)]
  expect(why({}, { nodes, waiting, ...limited(1000) })).toEqual({
    reason: 'token_max_gpus',
    detail: 'This job cannot start: it asks for 2 GPUs, and the token "night" may use 1 at once.',
  })
  const used = withRunningJob(nodes, { 'n/0': 1000, 'n/1': 1000, 'n/2': 1000 }, { tokenId: 't', gpuCount: 3 })
  expect(why({}, { ...used, waiting, ...limited(4000) }).detail).toBe(
    'The token "night" may use 4 GPUs at once. It uses 3, and the job asks for 2.',
  )
})
