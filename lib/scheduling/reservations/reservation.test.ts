import { describe, expect, it } from 'vitest'
import { plan } from '../plan'
import { gpu, node, oneGpu, policy, snapshot, waitingJob } from '../testing/rows'
import type { NodeState, RunningJob } from '../types'

/** A node with two GPUs, one of them held by a job. */
function halfBusy(id: string, job: Partial<RunningJob>): { state: NodeState; job: RunningJob } {
  const task = { nodeId: id, gpus: [{ id: `${id}/0`, milli: 1000 }], cpuMilli: 4000, memoryMib: 4000 }
  const { attempt, priority, notBefore, ...facts } = waitingJob(`on-${id}`)
  return {
    state: node(id, 2, {
      usedCpuMilli: 4000,
      usedMemoryMib: 4000,
      gpus: [gpu(`${id}/0`, { allocatedMilli: 1000 }), gpu(`${id}/1`)],
    }),
    job: { ...facts, tasks: [{ rank: 0, ...task }], startedAt: 0, terminating: false, ...job },
  }
}

it('prefers a node whose job is being preempted, whatever the expected end of that job', () => {
  const bestEffort = { ...oneGpu, pool: 'best-effort' as const }
  const goes = halfBusy('m', { request: bestEffort, expectedMs: 90_000, terminating: true })
  const stays = halfBusy('n', { expectedMs: 10_000 })
  const waiting = [
    waitingJob('first', { request: { ...oneGpu, gpuCount: 2 } }),
    waitingJob('second', { submittedAt: 1, expectedMs: 80_000 }),
  ]
  const cluster = { nodes: [goes.state, stays.state], running: [goes.job, stays.job] }
  const [placed] = plan(snapshot({ ...cluster, waiting })).placements
  expect(placed).toMatchObject({ jobId: 'second', tasks: [{ nodeId: 'n' }] })
})

describe.each(['priority', 'fcfs', 'sjf', 'fair_share'] as const)('under %s', (name) => {
  const wide = { request: { ...oneGpu, gpuCount: 2 }, expectedMs: 60_000 }
  const [early, late] = [halfBusy('a', { expectedMs: 10_000 }), halfBusy('b', { expectedMs: 20_000 })]
  const running = [early.job, late.job]
  const waiting = [
    waitingJob('first', wide),
    waitingJob('second', { ...wide, submittedAt: 1 }),
    waitingJob('later', { submittedAt: 2, expectedMs: 60_001 }),
  ]
  const started = (nodes: readonly NodeState[]) =>
    plan(snapshot({ nodes, running, waiting, policy: { ...policy, name } })).placements.map(
      ({ jobId }) => jobId,
    )

  it('no later job delays the second blocked job', () => {
    const full = ['c', 'd'].map((id) => node(id, 1, { blocked: 'draining' }))
    expect(started([early.state, late.state, ...full])).toEqual([])
  })

  it('a cluster of three nodes keeps capacity only for the first blocked job', () => {
    const full = node('c', 1, { blocked: 'draining' })
    expect(started([early.state, late.state, full])).toEqual(['later'])
  })
})
