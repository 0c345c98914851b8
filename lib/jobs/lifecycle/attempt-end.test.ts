import { describe, expect, it } from 'vitest'
import type { EndReason } from '../../contract/reasons'
import { type Cancel, type EndedTask, judgeAttempt } from './attempt-end'

const at = (ms: number) => new Date(1_000_000 + ms)
const cancel = (ms: number): Cancel => ({ reason: 'cancelled_by_user', at: at(ms) })

function ended(rank: number, reason: EndReason, ms: number, changes: Partial<EndedTask> = {}): EndedTask {
  const exitCode = reason === 'finished' ? 0 : reason === 'exit_code' ? 1 : null
  const detail = reason === 'exit_code' ? 'Exit code 1.' : null
  const task = { rank, node: `n${rank}`, reason, detail, exitCode, endedAt: at(ms), preemptedAt: null }
  return { ...task, ...changes }
}

describe('an attempt of one task', () => {
  it('ends like its task', () => {
    const task = ended(0, 'exit_code', 0, { detail: 'Exit code 3.', exitCode: 3 })
    const outcome = { reason: 'exit_code', detail: 'Exit code 3.', exitCode: 3 }
    expect(judgeAttempt([task], null)).toEqual(outcome)
    expect(judgeAttempt([task], cancel(-1))).toEqual(outcome)
  })

  it('is cancelled if a cancel was requested and the system failed', () => {
    expect(judgeAttempt([ended(0, 'node_lost', 0)], cancel(-1))).toMatchObject({
      reason: 'cancelled_by_user',
    })
  })
})

describe('an attempt of several tasks', () => {
  it('completes if all tasks did', () => {
    const tasks = [ended(0, 'finished', 0), ended(1, 'finished', 5)]
    expect(judgeAttempt(tasks, cancel(3))).toEqual({ reason: 'finished', detail: null, exitCode: 0 })
    const noted = tasks.map((task) => ({ ...task, detail: task.rank === 1 ? 'It left files.' : null }))
    expect(judgeAttempt(noted, null).detail).toBe('Rank 1: It left files.')
    const all = tasks.map((task) => ({ ...task, detail: 'It left files.' }))
    expect(judgeAttempt(all, null).detail).toBe('Rank 0: It left files. 1 more rank has such a note.')
  })

  it('fails like the first failed task, which it names', () => {
    const tasks = [
      ended(0, 'finished', 0),
      ended(1, 'exit_code', 30),
      ended(2, 'peer_failed', 5),
      ended(3, 'exit_code', 20, { detail: 'Exit code 139 (SIGSEGV).', exitCode: 139 }),
    ]
    expect(judgeAttempt(tasks, null)).toEqual({
      reason: 'exit_code',
      detail: 'Rank 3 on node "n3" ended with exit code 139 (SIGSEGV).',
      exitCode: 139,
    })
  })

  it.each(['timeout', 'out_of_memory', 'worker_stopped', 'internal_error'] as const)(
    'ends with %s even if the program of a peer failed first',
    (reason) => {
      const tasks = [ended(0, 'exit_code', 0), ended(1, reason, 10_000, { detail: 'More of it.' })]
      expect(judgeAttempt(tasks, null)).toEqual({
        reason,
        detail: 'It was rank 1 on node "n1". More of it.',
        exitCode: null,
      })
    },
  )

  it('blames a lost node only if its last sign of life was before a peer failed', () => {
    const failed = ended(0, 'exit_code', 100)
    expect(judgeAttempt([failed, ended(1, 'node_lost', 99)], null)).toMatchObject({
      reason: 'node_lost',
      detail: 'It was rank 1 on node "n1".',
    })
    expect(judgeAttempt([failed, ended(1, 'node_lost', 101)], null)).toMatchObject({ reason: 'exit_code' })
  })

  it('is cancelled if a cancel was requested before any failure, or if the system failed', () => {
    const failed = [ended(0, 'exit_code', 100), ended(1, 'cancelled_by_user', 110)]
    expect(judgeAttempt(failed, cancel(99))).toMatchObject({ reason: 'cancelled_by_user', detail: null })
    expect(judgeAttempt(failed.slice(0, 1).concat(ended(1, 'peer_failed', 110)), cancel(105))).toMatchObject({
      reason: 'exit_code',
    })
    const lost = [ended(0, 'node_lost', 100), ended(1, 'peer_failed', 110)]
    expect(judgeAttempt(lost, cancel(105))).toMatchObject({ reason: 'cancelled_by_user' })
  })

  it('is preempted if that was requested before any failure', () => {
    const asked = { preemptedAt: at(50) }
    const tasks = [ended(0, 'exit_code', 60, asked), ended(1, 'preempted', 70, asked)]
    expect(judgeAttempt(tasks, null)).toEqual({ reason: 'preempted', detail: null, exitCode: null })
    const early = [ended(0, 'exit_code', 40, asked), ended(1, 'peer_failed', 70, asked)]
    expect(judgeAttempt(early, null)).toMatchObject({ reason: 'exit_code' })
  })
})
