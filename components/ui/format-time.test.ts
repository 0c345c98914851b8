import { describe, expect, it } from 'vitest'
import { formatDuration, formatRelative, formatSeconds, formatUtc } from './format-time'

const now = Date.UTC(2026, 10, 20, 12, 0, 0)
const second = 1000
const day = 86_400 * second

describe('formatRelative', () => {
  it.each([
    [-3 * second, 'just now'],
    [4 * second, 'just now'],
    [-42 * second, '42 s ago'],
    [42 * second, 'in 42 s'],
    [-60 * second, '1 min ago'],
    [-119 * 60 * second, '1 h ago'],
    [3 * day, 'in 3 d'],
    [-29 * day, '29 d ago'],
    [-40 * day, '11 Oct 2026'],
  ])('%d ms away is "%s"', (offset, text) => {
    expect(formatRelative(now + offset, now)).toBe(text)
  })
})

describe('formatDuration', () => {
  it.each([
    [0, '0.0 s'],
    [-5, '0.0 s'],
    [840, '0.8 s'],
    [9_960, '10 s'],
    [59_600, '1 min 00 s'],
    [303 * second, '5 min 03 s'],
    [7_800 * second, '2 h 10 min'],
    [3 * day + 4 * 3600 * second, '3 d 4 h'],
  ])('%d ms is "%s"', (span, text) => {
    expect(formatDuration(span)).toBe(text)
  })
})

it('formats the same UTC text in every time zone', () => {
  expect(formatUtc(now)).toBe('2026-11-20 12:00 UTC')
})

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
