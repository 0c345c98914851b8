import { expect, it } from 'vitest'
import { makeJob } from '../../testing/fixtures'
import { expectedSeconds, progressOf } from './run-time'

it('expects the predicted time, and the estimate of the config without a prediction', () => {
  const predicted_time = { seconds: 90, basis: 'same_program', jobs: 5 } as const
  expect(expectedSeconds(makeJob({ expected_time: 300, predicted_time }))).toBe(90)
  expect(
    expectedSeconds(
      makeJob({ expected_time: 300, predicted_time: { ...predicted_time, basis: 'estimate' } }),
    ),
  ).toBe(300)
  expect(expectedSeconds(makeJob({ expected_time: 300 }))).toBe(300)
})

it.each([
  [0, 10, 0],
  [5_000, 10, 0.5],
  [60_000, 10, 1],
  [-5_000, 10, 0],
  [5_000, 0, 1],
])('%d ms of %d s is the part %d', (elapsed, seconds, part) => {
  expect(progressOf(elapsed, seconds)).toBe(part)
})
