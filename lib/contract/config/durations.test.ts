import { expect, it } from 'vitest'
import { parseDuration } from './durations'

it.each([
  ['90', 90],
  ['90s', 90],
  ['5m', 300],
  ['5 m', 300],
  ['1.5h', 5400],
  ['1h30m', 5400],
  ['1h 30m', 5400],
  ['1d', 86_400],
  [' 2h\r', 7200],
])('reads %j as %d seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds)
})

it.each(['', 'm', '5x', '0', '0m', '-5m', '1:30', '5m!', '1e3', '1..5h'])('does not read %j', (text) => {
  expect(parseDuration(text)).toBeNull()
})
