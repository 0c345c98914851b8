import { expect, it } from 'vitest'
import { restAfter } from './loop'

it.each([
  [5, 0],
  [300, 0],
  [600, 1_800],
  [60_000, 3_000],
])('after a pass of %i ms the next one comes by itself after %i ms', (tookMs, restMs) => {
  expect(restAfter(tookMs)).toBe(restMs)
})
