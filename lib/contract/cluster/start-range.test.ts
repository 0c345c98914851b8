import { expect, it } from 'vitest'
import { formatStartRange } from './start-range'

const format = (earliest: string, latest: string) =>
  formatStartRange({ earliest, latest }, Date.parse('2026-11-23T12:00:00Z'), 'UTC')

it.each([
  ['2026-11-23T14:10:00Z', '2026-11-23T15:00:00Z', 'between 14:10 and 15:00'],
  ['2026-11-23T23:50:00Z', '2026-11-24T01:00:00Z', 'between 23:50 and Tue 01:00'],
  ['2026-11-24T10:00:00Z', '2026-11-24T11:00:00Z', 'between Tue 10:00 and 11:00'],
  ['2026-12-02T10:00:00Z', '2026-12-03T11:00:00Z', 'between 2 Dec 10:00 and 3 Dec 11:00'],
  ['2026-11-23T14:10:00Z', '2026-11-23T14:10:59Z', null],
])('formats %s to %s', (earliest, latest, text) => {
  expect(format(earliest, latest)).toBe(text)
})
