import { expect, it } from 'vitest'
import { pauseAfter } from './builtin'

it.each([
  [5, 0],
  [300, 0],
  [600, 1_800],
  [60_000, 3_000],
])('after a pass of %i ms the next one starts by itself after %i ms', (tookMs, restMs) => {
  expect(pauseAfter(tookMs)).toBe(restMs)
})
