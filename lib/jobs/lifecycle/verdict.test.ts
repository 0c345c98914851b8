import { expect, it } from 'vitest'
import { backoffSeconds } from './verdict'

it('doubles the wait before each attempt, up to five minutes', () => {
  const waits = Array.from({ length: 12 }, (_, i) => backoffSeconds(i + 1))
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
})
