import { expect, it } from 'vitest'
import { Moment } from './moment'

const choices = (seed: number, fault: string, number: number) => {
  const moment = new Moment(seed, fault, number)
  return Array.from({ length: 50 }, () => moment.between(1, 6))
}

it('chooses the same again for the same seed, fault and number, and other values otherwise', () => {
  expect(choices(1, 'a fault', 2)).toEqual(choices(1, 'a fault', 2))
  expect(choices(1, 'a fault', 2)).not.toEqual(choices(2, 'a fault', 2))
  expect(choices(1, 'a fault', 2)).not.toEqual(choices(1, 'another fault', 2))
  expect(choices(1, 'a fault', 2)).not.toEqual(choices(1, 'a fault', 3))
})

it('chooses every number from the first to the last', () => {
  expect(new Set(choices(7, 'a fault', 0))).toEqual(new Set([1, 2, 3, 4, 5, 6]))
})

it('measures a recovery from the first fault of the moment', () => {
  const moment = new Moment(1, 'a fault', 0)
  expect(moment.recoveryMs).toBe(0)
  moment.strike()
  expect(moment.recoveryMs).toBeGreaterThanOrEqual(0)
})
