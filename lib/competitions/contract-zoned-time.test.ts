import { describe, expect, it } from 'vitest'
import { dayAround, isTimeZone, parseZonedTime } from './contract-zoned-time'

const iso = (text: string, zone: string) => {
  const instant = parseZonedTime(text, zone)
  return instant === null ? null : new Date(instant).toISOString()
}

describe('a time of competition.yaml', () => {
  it.each([
    ['2027-01-10T09:00', 'Europe/Berlin', '2027-01-10T08:00:00.000Z'],
    ['2027-07-10T09:00', 'Europe/Berlin', '2027-07-10T07:00:00.000Z'],
    ['2027-01-10 09:00:30', 'America/New_York', '2027-01-10T14:00:30.000Z'],
    ['2027-01-10', 'Asia/Kolkata', '2027-01-09T18:30:00.000Z'],
    ['2027-01-10T09:00Z', 'Europe/Berlin', '2027-01-10T09:00:00.000Z'],
    ['2027-01-10T09:00+05:00', 'Europe/Berlin', '2027-01-10T04:00:00.000Z'],
  ])('the time %s is read in the zone %s', (text, zone, expected) => {
    expect(iso(text, zone)).toBe(expected)
  })

  it('a time that a clock change skips is read with the offset before the change', () => {
    expect(iso('2027-03-28T02:30', 'Europe/Berlin')).toBe('2027-03-28T01:30:00.000Z')
    expect(iso('2027-03-14T02:30', 'America/New_York')).toBe('2027-03-14T07:30:00.000Z')
  })

  it('a time that happens twice means the first of the two', () => {
    expect(iso('2027-10-31T02:30', 'Europe/Berlin')).toBe('2027-10-31T00:30:00.000Z')
    expect(iso('2027-11-07T01:30', 'America/New_York')).toBe('2027-11-07T05:30:00.000Z')
  })

  it.each([
    '',
    'tomorrow',
    '2027-02-30',
    '2027-01-10T24:00',
    '2027-01-10T09:60',
    '09:00',
    '2027-13-01',
    '2027-1-1',
  ])('a text that is no time is refused: %j', (text) => {
    expect(parseZonedTime(text, 'UTC')).toBeNull()
  })
})

describe('the day around an instant', () => {
  const hours = (instant: string, zone: string) => {
    const { startMs, endMs } = dayAround(Date.parse(instant), zone)
    expect(startMs).toBeLessThanOrEqual(Date.parse(instant))
    expect(endMs).toBeGreaterThan(Date.parse(instant))
    return (endMs - startMs) / 3_600_000
  }

  it('has 24 hours, and 23 or 25 when the clocks change', () => {
    expect(hours('2027-01-10T12:00Z', 'Europe/Berlin')).toBe(24)
    expect(hours('2027-03-28T12:00Z', 'Europe/Berlin')).toBe(23)
    expect(hours('2027-10-31T12:00Z', 'Europe/Berlin')).toBe(25)
  })

  it('begins at midnight of the zone', () => {
    const { startMs } = dayAround(Date.parse('2027-01-10T23:30Z'), 'Europe/Berlin')
    expect(new Date(startMs).toISOString()).toBe('2027-01-10T23:00:00.000Z')
  })
})

it('a name that the platform does not know is no time zone', () => {
  expect(isTimeZone('Europe/Berlin')).toBe(true)
  expect(isTimeZone('Europe/Nowhere')).toBe(false)
})
