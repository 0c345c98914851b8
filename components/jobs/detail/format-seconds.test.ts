import { expect, it } from 'vitest'
import { formatSeconds } from './format-seconds'

it.each([
  [1, '1 s'],
  [0.5, '0.5 s'],
  [20, '20 s'],
  [300, '5 min'],
  [90, '1 min 30 s'],
  [600, '10 min'],
  [7200, '2 h'],
  [86_400, '1 d'],
  [90_000, '1 d 1 h'],
])('formats %d seconds as %s', (seconds, words) => {
  expect(formatSeconds(seconds)).toBe(words)
})
