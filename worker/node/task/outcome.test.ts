import { describe, expect, it } from 'vitest'
import { endReasons } from '@/lib/contract/reasons'
import { RuntimeFault } from '../../runtime/runtime'
import { outcomeOf, outcomeOfFault, unwatchedRun } from './outcome'
import { TaskFault } from './task-fault'

const unwatched = { wasOver: false }
const exit = (exitCode: number, outOfMemory = false) => ({
  exitCode,
  outOfMemory,
  startedAt: null,
  finishedAt: null,
})

describe('the exit of a program that ended without a worker', () => {
  it.each([137, 143])('is not its fault if something else ended it: %i', (exitCode) => {
    const outcome = outcomeOf(exit(exitCode), null, 512, unwatched)
    expect(endReasons[outcome.reason].fault).toBe('system')
    expect(outcome.exitCode).toBe(exitCode)
  })

  it('is its exit code otherwise', () => {
    expect(outcomeOf(exit(0), null, 512, unwatched).reason).toBe('finished')
    expect(outcomeOf(exit(3), null, 512, unwatched).reason).toBe('exit_code')
    expect(outcomeOf(exit(139), null, 512, unwatched).reason).toBe('exit_code')
  })

  it('is out-of-memory or the stop reason if there is one', () => {
    expect(outcomeOf(exit(137, true), null, 512, unwatched).reason).toBe('out_of_memory')
    expect(outcomeOf(exit(143), 'cancelled_by_user', 512, unwatched).reason).toBe('cancelled_by_user')
    expect(outcomeOf(exit(137), 'timeout', 512, unwatched).reason).toBe('timeout')
  })
})

describe('a run that ended without a worker', () => {
  const task = { ranSeconds: 100, timeLimitS: 60 }
  const ended = (secondsAgo: number) => ({
    ...exit(143),
    finishedAt: new Date(performance.timeOrigin + performance.now() - secondsAgo * 1000),
  })

  it('ended for its time limit if that was over then, not only now', () => {
    const run = (secondsAgo: number) => unwatchedRun(task, ended(secondsAgo), performance.now())
    expect(outcomeOf(ended(20), null, 512, run(20)).reason).toBe('timeout')
    expect(outcomeOf({ ...ended(20), exitCode: 0 }, null, 512, run(20)).reason).toBe('finished')
    expect(outcomeOf(ended(60), null, 512, run(60)).reason).toBe('engine_restarted')
    expect(unwatchedRun(task, exit(143), performance.now())).toEqual({ wasOver: false })
  })
})

describe('the exit of a program that a worker observed', () => {
  it('is its exit code, including signals', () => {
    expect(outcomeOf(exit(143), null, 512).reason).toBe('exit_code')
    expect(outcomeOf(exit(137), null, 512).detail).toContain('SIGKILL')
  })
})

describe('a fault of a task', () => {
  it('is the reason of the job with the sentence of the runtime', () => {
    const fault = new RuntimeFault('internet_unavailable', 'iptables is missing. Install it.')
    expect(outcomeOfFault(fault)).toEqual({ reason: fault.code, detail: fault.message, exitCode: null })
    expect(outcomeOfFault(new RuntimeFault('engine_error', 'x')).reason).toBe('internal_error')
  })

  it.each(['container_gone', 'engine_error', 'engine_unreachable', 'image_unavailable'] as const)(
    'is caused by the engine if it was unavailable: %s',
    (code) => {
      const fault = new RuntimeFault(code, 'Details.')
      expect(outcomeOfFault(fault, true)).toEqual({
        reason: 'engine_restarted',
        detail: 'Details.',
        exitCode: null,
      })
      expect(outcomeOfFault(fault).reason).not.toBe('engine_restarted')
    },
  )

  it('keeps its reason if an outage cannot explain it', () => {
    expect(outcomeOfFault(new RuntimeFault('kill_failed', ''), true).reason).toBe('internal_error')
    expect(outcomeOfFault(new RuntimeFault('internet_unavailable', ''), true).reason).toBe(
      'internet_unavailable',
    )
    expect(outcomeOfFault(new TaskFault('peers_missing', ''), true).reason).toBe('peers_missing')
    expect(outcomeOfFault(new Error('a bug'), true).reason).toBe('internal_error')
  })
})
