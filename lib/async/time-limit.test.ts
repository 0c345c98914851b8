import { describe, expect, it } from 'vitest'
import { aborted, sleep } from './sleep'
import { collectGarbage } from './testing/collect-garbage'
import { timeLimit } from './time-limit'

const never = new AbortController().signal

describe('a time limit', () => {
  it('ends also after garbage collections', async () => {
    const ended = aborted(timeLimit(200, never))
    for (let round = 0; round < 3; round++) {
      collectGarbage()
      await sleep(20, never)
    }
    await ended
  })

  it('ends early with the signal', async () => {
    const stop = new AbortController()
    const limit = timeLimit(3_600_000, stop.signal)
    stop.abort()
    expect(limit.aborted).toBe(true)
  })
})
