import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fits } from './fits'
import { plan, withTask } from './plan'
import type { NodeState, Pool, ResourceRequest, Snapshot, WaitingJob } from './types'

const anyGpu: ResourceRequest = {
  gpuCount: 1,
  gpuMilli: 1000,
  gpuMemoryMib: null,
  cpuMilli: null,
  memoryMib: null,
  allowedGpus: null,
  gpuModel: null,
  instances: 1,
  pool: 'on-demand',
}

function node(id: string, gpus: number, changes: Partial<NodeState> = {}): NodeState {
  return {
    id,
    ready: true,
    cpuMilli: 8000,
    memoryMib: 8000,
    usedCpuMilli: 0,
    usedMemoryMib: 0,
    gpus: Array.from({ length: gpus }, (_, index) => ({
      id: `${id}/${index}`,
      index,
      memoryMib: 24_000,
      allocatedMilli: 0,
      usable: true,
    })),
    ...changes,
  }
}

function job(id: string, changes: Partial<WaitingJob> = {}): WaitingJob {
  return { id, attempt: 0, priority: 0, submittedAt: 0, notBefore: null, request: anyGpu, ...changes }
}

describe('plan', () => {
  it('serves higher priority first, then first come', () => {
    const waiting = [
      job('late', { submittedAt: 2 }),
      job('early', { submittedAt: 1 }),
      job('urgent', { submittedAt: 3, priority: 5 }),
    ]
    const { placements } = plan({ nodes: [node('n', 2)], waiting }, 0)
    expect(placements.map(({ jobId }) => jobId)).toEqual(['urgent', 'early'])
  })

  it('says why each waiting job waits', () => {
    const waiting = [
      job('runs'),
      job('next', { submittedAt: 1 }),
      job('huge', { submittedAt: 2, request: { ...anyGpu, gpuCount: 4 } }),
      job('resting', { submittedAt: 3, notBefore: 10 }),
    ]
    const { waiting: reasons } = plan({ nodes: [node('n', 1)], waiting }, 0)
    expect(Object.fromEntries(reasons.map(({ jobId, reason }) => [jobId, reason]))).toEqual({
      next: 'no_free_gpu',
      huge: 'never_fits',
      resting: 'backing_off',
    })
    expect(plan({ nodes: [node('n', 1, { ready: false })], waiting: [job('a')] }, 0).waiting[0]?.reason).toBe(
      'no_node',
    )
  })

  it('places a job that was backing off once its time has come', () => {
    const snapshot = { nodes: [node('n', 1)], waiting: [job('a', { notBefore: 10, attempt: 1 })] }
    expect(plan(snapshot, 9).placements).toEqual([])
    expect(plan(snapshot, 10).placements[0]).toMatchObject({ jobId: 'a', attempt: 2 })
  })

  it('gives a job the CPU and memory of its share of the GPUs', () => {
    const { placements } = plan({ nodes: [node('n', 4)], waiting: [job('a')] }, 0)
    expect(placements[0]?.tasks[0]).toMatchObject({ cpuMilli: 2000, memoryMib: 2000 })
  })

  it('puts fractions together so that whole GPUs stay whole', () => {
    const half = { ...anyGpu, gpuMilli: 500 }
    const { placements } = plan(
      { nodes: [node('n', 2)], waiting: [job('a', { request: half }), job('b', { request: half })] },
      0,
    )
    expect(new Set(placements.map(({ tasks }) => tasks[0]?.gpus[0]?.id)).size).toBe(1)
  })

  it('uses only allowed, usable GPUs with enough memory', () => {
    const on = (request: Partial<ResourceRequest>) => {
      const fit = fits({ ...anyGpu, ...request }, node('n', 3))
      return fit.ok ? fit.task.gpus.map(({ id }) => id) : fit.dimension
    }
    expect(on({ allowedGpus: [2] })).toEqual(['n/2'])
    expect(on({ gpuMemoryMib: 30_000 })).toBe('gpu')
    expect(on({ memoryMib: 9000 })).toBe('memory')
    expect(on({ cpuMilli: 9000 })).toBe('cpu')
  })
})

const requests = fc.record({
  gpuCount: fc.integer({ min: 0, max: 4 }),
  gpuMilli: fc.constantFrom(1000, 500, 250),
  gpuMemoryMib: fc.constantFrom(null, 16_000, 32_000),
  cpuMilli: fc.constantFrom(null, 1000, 4000),
  memoryMib: fc.constantFrom(null, 1000, 6000),
  allowedGpus: fc.constantFrom(null, [0], [0, 1]),
  gpuModel: fc.constant(null),
  instances: fc.constant(1),
  pool: fc.constant<Pool>('on-demand'),
})
const snapshots: fc.Arbitrary<Snapshot> = fc.record({
  nodes: fc
    .array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 })
    .map((sizes) => sizes.map((size, i) => node(`n${i}`, size))),
  waiting: fc
    .array(fc.record({ request: requests, priority: fc.integer({ min: -2, max: 2 }) }), { maxLength: 20 })
    .map((jobs) => jobs.map((each, i) => job(`j${i}`, { ...each, submittedAt: i % 7 }))),
})

describe('every plan', () => {
  it('keeps each GPU at 1000 or below and each node within its size', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        const nodes = new Map(snapshot.nodes.map((each) => [each.id, each]))
        for (const { tasks } of plan(snapshot, 0).placements) {
          for (const task of tasks) {
            const before = nodes.get(task.nodeId)
            if (!before) throw new Error('unknown node')
            nodes.set(before.id, withTask(before, task))
          }
        }
        for (const each of nodes.values()) {
          expect(each.usedCpuMilli).toBeLessThanOrEqual(each.cpuMilli)
          expect(each.usedMemoryMib).toBeLessThanOrEqual(each.memoryMib)
          for (const gpu of each.gpus) expect(gpu.allocatedMilli).toBeLessThanOrEqual(1000)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('accounts for every waiting job once, and is equal for equal input', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        const { placements, waiting } = plan(snapshot, 0)
        const ids = [...placements, ...waiting].map(({ jobId }) => jobId)
        expect([...ids].sort()).toEqual(snapshot.waiting.map(({ id }) => id).sort())
        const reversed = { ...snapshot, waiting: [...snapshot.waiting].reverse() }
        expect(plan(reversed, 0)).toEqual({ placements, waiting })
      }),
    )
  })

  it('leaves nothing waiting that would still fit', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        const { placements, waiting } = plan(snapshot, 0)
        const nodes = new Map(snapshot.nodes.map((each) => [each.id, each]))
        for (const task of placements.flatMap(({ tasks }) => tasks)) {
          const before = nodes.get(task.nodeId)
          if (before) nodes.set(before.id, withTask(before, task))
        }
        for (const { jobId } of waiting) {
          const request = snapshot.waiting.find(({ id }) => id === jobId)?.request
          for (const each of nodes.values()) expect(request && fits(request, each).ok).toBe(false)
        }
      }),
    )
  })
})
