import { describe, expect, it } from 'vitest'
import { endReasons } from '@/lib/contract/reasons'
import { outcomeOf } from './outcome'

const exit = (exitCode: number, outOfMemory = false) => ({
  exitCode,
  outOfMemory,
  startedAt: null,
  finishedAt: null,
})

describe('what the exit of a program means that ended while no worker was there', () => {
  it.each([137, 143])('is no fault of its own where somebody ended it: %i', (exitCode) => {
    const outcome = outcomeOf(exit(exitCode), null, 512, true)
    expect(endReasons[outcome.reason].fault).toBe('system')
    expect(outcome.exitCode).toBe(exitCode)
  })

  it('is what it says itself else', () => {
    expect(outcomeOf(exit(0), null, 512, true).reason).toBe('finished')
    expect(outcomeOf(exit(3), null, 512, true).reason).toBe('exit_code')
    expect(outcomeOf(exit(139), null, 512, true).reason).toBe('exit_code')
  })

  it('is its memory, or what gpuq stopped it for, before that', () => {
    expect(outcomeOf(exit(137, true), null, 512, true).reason).toBe('out_of_memory')
    expect(outcomeOf(exit(143), 'cancelled_by_user', 512, true).reason).toBe('cancelled_by_user')
    expect(outcomeOf(exit(137), 'timeout', 512, true).reason).toBe('timeout')
  })
})

describe('what the exit of a program means that a worker has watched', () => {
  it('is its own word, signals included', () => {
    expect(outcomeOf(exit(143), null, 512).reason).toBe('exit_code')
    expect(outcomeOf(exit(137), null, 512).detail).toContain('SIGKILL')
  })
})
