import { expect, it } from 'vitest'
import { currentPhase, describeClock, formatCountdown, formatZoned } from './phase-times'
import { makePhase } from './testing/make-competition'

const phase = (key: string, start: string, end: string) =>
  makePhase({ key, starts_at: `2027-01-${start}Z`, ends_at: `2027-01-${end}Z` })

const early = phase('early', '01T00:00', '10T00:00')
const long = phase('long', '05T00:00', '30T00:00')
const late = phase('late', '20T00:00', '25T00:00')

it.each([
  ['before all phases, the next one', '2026-12-31T00:00Z', 'early'],
  ['while two are open, the one that ends first', '2027-01-06T00:00Z', 'early'],
  ['at the end of a phase, one that is open', '2027-01-10T00:00Z', 'long'],
  ['after all phases, the last one', '2027-01-31T00:00Z', 'long'],
])('the phase that a page opens is, %s', (_, now, expected) => {
  expect(currentPhase([late, early, long], Date.parse(now))?.key).toBe(expected)
})

it('a competition without phases has no current phase', () => {
  expect(currentPhase([], 0)).toBeUndefined()
})

it.each([
  ['2026-12-30T22:00Z', 'starts in 1 d 2 h'],
  ['2027-01-09T23:59:53Z', 'ends in 7 s'],
  ['2027-01-10T00:00:00Z', 'ended 0 s ago'],
])('at %s, the clock of a phase says: %s', (now, text) => {
  expect(describeClock(early, Date.parse(now))).toBe(text)
})

it('a countdown rounds up, so that 0 s is the end', () => {
  expect(formatCountdown(1)).toBe('1 s')
  expect(formatCountdown(59_001)).toBe('1 min 00 s')
})

it.each([
  ['with another time', 'Europe/Berlin', '2027-01-10T08:00Z', '10 Jan 2027, 08:00', '09:00 in Europe/Berlin'],
  [
    'with another date',
    'Asia/Tokyo',
    '2027-01-10T18:00Z',
    '10 Jan 2027, 18:00',
    '11 Jan 2027, 03:00 in Asia/Tokyo',
  ],
  ['with the same time', 'Africa/Abidjan', '2027-01-10T08:00Z', '10 Jan 2027, 08:00', null],
])('a time is shown to a reader in UTC, and in a zone %s', (_, zone, at, own, theirs) => {
  expect(formatZoned(Date.parse(at), zone, 'UTC')).toEqual({ own, theirs })
})
