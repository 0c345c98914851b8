import { describe, expect, it } from 'vitest'
import { planWarm, recentMs } from './plan-warm'

const limits = { containers: 8, memoryMib: 100 }
const now = 10_000_000
const demand = (key: string, requestedMs: number[], capacity = 8, memoryMib = 5) => ({
  key,
  requestedMs,
  capacity,
  memoryMib,
})
const plan = (
  classes: ReturnType<typeof demand>[],
  { isShort = false, ...changes }: Partial<typeof limits & { isShort: boolean }> = {},
) => Object.fromEntries(planWarm(classes, { ...limits, ...changes }, isShort, now))

describe('planWarm', () => {
  it('keeps one container of a class that was requested in the last hour', () => {
    expect(plan([demand('a', [now - recentMs + 1]), demand('b', [now - recentMs])])).toEqual({ a: 1 })
  })

  it('keeps as many as tasks came in the last minute, within what the machine can run', () => {
    const burst = [now - 90_000, now - 50_000, now - 2, now - 1]
    expect(plan([demand('a', burst)])).toEqual({ a: 3 })
    expect(plan([demand('a', burst, 2)])).toEqual({ a: 2 })
  })

  it('gives each class one before any gets a second, and prefers the latest', () => {
    const a = demand('a', [now - 3, now - 3, now - 3])
    const b = demand('b', [now - 2])
    const c = demand('c', [now - 1, now - 1])
    expect(plan([a, b, c], { containers: 2 })).toEqual({ c: 1, b: 1 })
    expect(plan([a, b, c], { containers: 4 })).toEqual({ c: 2, b: 1, a: 1 })
  })

  it('keeps none while the machine has little memory, and no more than the limit allows', () => {
    const classes = [demand('a', [now, now, now, now])]
    expect(plan(classes, { isShort: true })).toEqual({})
    expect(plan(classes, { memoryMib: 10 })).toEqual({ a: 2 })
    expect(plan(classes, { memoryMib: 0 })).toEqual({})
    expect(plan(classes, { containers: 0 })).toEqual({})
  })

  it('counts what each class needs: a large one leaves room for a small one', () => {
    const large = demand('large', [now, now, now], 8, 60)
    const small = demand('small', [now - 1, now - 1], 8, 5)
    expect(plan([large, small])).toEqual({ large: 1, small: 2 })
    expect(plan([large, small], { memoryMib: 50 })).toEqual({ small: 2 })
  })
})
