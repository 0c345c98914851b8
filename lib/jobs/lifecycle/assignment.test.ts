import { expect, it } from 'vitest'
import { readSpec } from '../../contract/config/stored-spec'
import { afterFailedAssignment, assignmentLimitOf } from './assignment'

const limitOf = (spec: object) => assignmentLimitOf(readSpec(spec))

it('exists only if the config sets it', () => {
  expect(limitOf({})).toBeNull()
  expect(limitOf({ max_assign_attempts: 3 })).toEqual({ most: 3, firstWaitS: 5 })
  expect(limitOf({ max_assign_attempts: 3, assign_retry_wait: 0.5 })).toEqual({ most: 3, firstWaitS: 0.5 })
})

it('doubles the wait up to an hour, then gives up', () => {
  const waits = (most: number, firstWaitS: number) =>
    Array.from(
      { length: most },
      (_, index) => afterFailedAssignment(index + 1, { most, firstWaitS }, '').waitS,
    )
  expect(waits(5, 5)).toEqual([5, 10, 20, 40, null])
  expect(waits(1, 5)).toEqual([null])
  expect(waits(100, 3600).slice(0, 99)).toEqual(Array(99).fill(3600))
})

it('names the cause and the attempt', () => {
  const { detail } = afterFailedAssignment(2, { most: 3, firstWaitS: 5 }, 'It is too large.')
  expect(detail).toBe('It is too large. That was attempt 2 of 3 to start the job.')
})
