import { describe, expect, it } from 'vitest'
import type { SlurmJobState } from '@/lib/slurm/client/slurm-client'
import type { LiveSlurmJob } from '@/lib/slurm/jobs/live-jobs'
import { compareJob, compareMissingJob } from './compare-jobs'

const waiting: LiveSlurmJob = {
  id: 'row',
  jobId: 'job',
  slurmId: 7,
  state: 'PENDING',
  reason: 'Resources',
  startsAt: null,
  held: false,
  nice: 100,
  restarts: 0,
  attempt: null,
  attemptRestart: null,
  stopReason: null,
  status: 'pending',
  priority: 0,
  jobHeld: false,
  owner: 'ada',
  waitReason: 'slurm_pending',
  waitDetail: null,
  hasLiveTask: false,
  doneSeconds: null,
}
const running: LiveSlurmJob = {
  ...waiting,
  state: 'RUNNING',
  status: 'running',
  attempt: 1,
  attemptRestart: 0,
  hasLiveTask: true,
}
const done = { ...running, hasLiveTask: false, doneSeconds: 1 }

function seen(state: string, more: Partial<SlurmJobState> = {}): SlurmJobState {
  return {
    id: 7,
    state,
    reason: null,
    comment: 'gpuq:row',
    user: 'gpuq',
    name: 'gpuq-job',
    partition: 'main',
    nodes: [],
    gpus: 1,
    cpus: 1,
    nice: 100,
    held: false,
    restarts: 0,
    exitCode: null,
    submittedAt: null,
    startsAt: null,
    startedAt: null,
    endedAt: null,
    limitS: null,
    ...more,
  }
}

describe('a job that waits in Slurm', () => {
  it('shows what Slurm waits for, once', () => {
    const decision = compareJob(waiting, seen('PENDING', { reason: 'Priority' }))
    expect(decision).toMatchObject({
      facts: { state: 'PENDING', reason: 'Priority' },
      wait: { reason: 'slurm_pending', detail: expect.stringContaining('Slurm: Priority') },
      cancel: false,
      end: null,
    })
    const told = { ...waiting, reason: 'Priority', waitDetail: decision.wait?.detail ?? null }
    expect(compareJob(told, seen('PENDING', { reason: 'Priority' }))).toMatchObject({
      facts: null,
      wait: null,
    })
  })

  it('shows that Slurm started it on a node whose worker does not accept it, once', () => {
    const started = seen('RUNNING', { nodes: ['n1'], reason: 'JobHeldAdmin' })
    const { wait, cancel, end } = compareJob(waiting, started)
    expect(wait).toEqual({
      jobId: 'job',
      reason: 'slurm_starting',
      detail: expect.stringContaining('on n1.'),
    })
    expect({ cancel, end }).toEqual({ cancel: false, end: null })
    const told = { ...waiting, waitReason: 'slurm_starting', waitDetail: wait?.detail ?? null }
    expect(compareJob(told, started).wait).toBeNull()
    expect(compareJob({ ...waiting, status: 'running' }, started).wait).toBeNull()
  })

  it('shows a hold, and does not undo it', () => {
    const held = seen('PENDING', { reason: 'JobHeldUser', held: true })
    expect(compareJob(waiting, held)).toMatchObject({
      facts: { held: true },
      wait: { reason: 'slurm_held' },
      cancel: false,
    })
  })

  it('gets another nice value only when its priority in gpuq changed', () => {
    expect(compareJob(waiting, seen('PENDING', { nice: 5 })).nice).toBeNull()
    expect(compareJob({ ...waiting, priority: 30 }, seen('PENDING')).nice).toBe(70)
  })

  it('is cancelled when the job has ended in gpuq', () => {
    expect(compareJob({ ...waiting, status: 'cancelled', doneSeconds: 0 }, seen('PENDING')).cancel).toBe(true)
    expect(compareJob({ ...waiting, status: null, doneSeconds: 0 }, seen('PENDING')).cancel).toBe(true)
  })

  it.each([
    ['BadConstraints', 'slurm_refused'],
    ['DependencyNeverSatisfied', 'dependency_failed'],
  ])('ends for %s, which never goes away, as %s', (reason, end) => {
    expect(compareJob(waiting, seen('PENDING', { reason }))).toMatchObject({
      cancel: true,
      end: { verdict: { reason: end } },
    })
  })

  it.each([
    ['CANCELLED', 'cancelled_in_slurm'],
    ['TIMEOUT', 'timeout'],
    ['DEADLINE', 'timeout'],
    ['OUT_OF_MEMORY', 'out_of_memory'],
  ])('ends as in Slurm if it ended there as %s before it started', (state, reason) => {
    expect(compareJob(waiting, seen(state)).end).toEqual({
      state,
      verdict: { reason, detail: null, exitCode: null },
      failedStart: false,
    })
  })

  it.each(['NODE_FAIL', 'BOOT_FAIL', 'PREEMPTED'])('is submitted again after %s', (state) => {
    expect(compareJob(waiting, seen(state)).end).toEqual({ state, verdict: null, failedStart: false })
  })

  it('counts a start that reached no worker', () => {
    expect(compareJob(waiting, seen('FAILED')).end).toMatchObject({ verdict: null, failedStart: true })
  })

  it('takes over the id of a submission without an answer', () => {
    expect(compareJob({ ...waiting, slurmId: null }, seen('PENDING')).foundId).toBe(7)
  })
})

describe('a job that runs', () => {
  it.each([
    ['CANCELLED', 'cancelled_in_slurm'],
    ['TIMEOUT', 'timeout'],
    ['NODE_FAIL', 'node_lost'],
    ['BOOT_FAIL', 'node_lost'],
    ['OUT_OF_MEMORY', 'out_of_memory'],
    ['PREEMPTED', 'preempted'],
    ['PENDING', 'slurm_requeued'],
    ['REQUEUE_HOLD', 'slurm_requeued'],
    ['FAILED', 'slurm_stopped'],
  ])('must stop when Slurm says %s: %s', (state, stop) => {
    expect(compareJob(running, seen(state))).toMatchObject({ stop, end: null, cancel: false })
    expect(compareJob({ ...running, stopReason: 'timeout' }, seen(state)).stop).toBeNull()
  })

  it.each(['RUNNING', 'SUSPENDED', 'COMPLETING'])('goes on while Slurm says %s', (state) => {
    expect(compareJob(running, seen(state))).toMatchObject({ stop: null, end: null, cancel: false })
  })

  it.each([
    ['timeout', 'its time limit was near', 3500, 143],
    ['slurm_stopped', 'it was told long before', 3000, 143],
    ['slurm_stopped', 'its script ended by itself', 3500, 75],
  ])('must stop with the reason %s if %s', (stop, _, ranS, exitCode) => {
    const startedAt = new Date('2026-11-23T09:00:00Z')
    const endedAt = new Date(startedAt.getTime() + ranS * 1000)
    expect(compareJob(running, seen('FAILED', { startedAt, endedAt, exitCode, limitS: 3600 })).stop).toBe(
      stop,
    )
    expect(compareJob(running, seen('FAILED', { startedAt, endedAt, exitCode })).stop).toBe('slurm_stopped')
  })

  it('must stop for its time limit while an epilog hides the final state', () => {
    expect(compareJob(running, seen('COMPLETING', { reason: 'TimeLimit' })).stop).toBe('timeout')
  })

  it('must stop when Slurm has started it again', () => {
    expect(compareJob(running, seen('RUNNING', { restarts: 1 })).stop).toBe('slurm_requeued')
  })

  it('goes on if Slurm lost its state: its step decides', () => {
    expect(compareMissingJob(running, null)).toMatchObject({ stop: null, end: null, cancel: false })
  })
})

describe('a job whose attempt has ended', () => {
  it('ends with its Slurm job, without another verdict', () => {
    expect(compareJob({ ...done, status: 'completed' }, seen('COMPLETED')).end).toMatchObject({
      verdict: null,
    })
    expect(compareJob({ ...done, status: 'pending' }, seen('CANCELLED')).end).toMatchObject({ verdict: null })
  })

  it('is cancelled in Slurm only if its step does not end by itself', () => {
    const ended = { ...done, status: 'failed' } as const
    expect(compareJob(ended, seen('RUNNING')).cancel).toBe(false)
    expect(compareJob({ ...ended, doneSeconds: 60 }, seen('RUNNING')).cancel).toBe(true)
    expect(compareJob({ ...ended, doneSeconds: 60 }, seen('COMPLETING')).cancel).toBe(false)
  })

  it('waits for its next start if Slurm put it back, and is cancelled if gpuq does not retry it', () => {
    const requeued = seen('PENDING', { restarts: 1 })
    expect(compareJob({ ...done, status: 'pending' }, requeued)).toMatchObject({ cancel: false, end: null })
    expect(compareJob({ ...done, status: 'failed' }, requeued).cancel).toBe(true)
  })

  it('gets a Slurm job of its own for a retry', () => {
    const retried = { ...done, status: 'pending', doneSeconds: 60 } as const
    expect(compareJob(retried, seen('RUNNING')).cancel).toBe(true)
  })
})

it('a job that Slurm does not know and that never started is submitted again', () => {
  expect(compareMissingJob(waiting, null).end).toEqual({ state: 'LOST', verdict: null, failedStart: false })
  expect(compareMissingJob(waiting, seen('CANCELLED')).end).toMatchObject({
    verdict: { reason: 'cancelled_in_slurm' },
  })
})

describe('a hold', () => {
  it('a hold of gpuq is sent to Slurm, and one by hand is kept in gpuq', () => {
    const compare = (jobHeld: boolean, before: boolean, now: boolean) => {
      const { hold, adoptHold } = compareJob(
        { ...waiting, jobHeld, held: before },
        seen('PENDING', { held: now }),
      )
      return { hold, adoptHold }
    }
    expect(compare(false, false, false)).toEqual({ hold: null, adoptHold: null })
    expect(compare(true, false, false)).toEqual({ hold: true, adoptHold: null })
    expect(compare(false, true, true)).toEqual({ hold: false, adoptHold: null })
    expect(compare(false, false, true)).toEqual({ hold: null, adoptHold: true })
    expect(compare(true, true, false)).toEqual({ hold: null, adoptHold: false })
  })

  it('a hold with a requeue by hand is kept after the attempt has stopped', () => {
    const held = seen('PENDING', { held: true, restarts: 1 })
    expect(compareJob(running, held)).toMatchObject({ stop: 'slurm_requeued', facts: { held: false } })
    const stopped = { ...done, state: 'PENDING', restarts: 1, status: 'pending' } as const
    expect(compareJob(stopped, held)).toMatchObject({
      hold: null,
      adoptHold: true,
      facts: { held: true },
      wait: { reason: 'slurm_held' },
    })
  })
})
