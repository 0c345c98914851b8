import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseZonedTime } from '../contract-zoned-time'
import { acceptedUntil, type Deadline, penaltyOf } from './penalty'

const timezone = 'Europe/Berlin'
const at = (text: string) => new Date(parseZonedTime(text, timezone) ?? Number.NaN)

const deadline = (changes: Partial<Deadline> = {}): Deadline => ({
  endsAt: at('2027-02-01T00:00'),
  extendedTo: null,
  late: { grace_minutes: 5, percent_per_day: 10, max_days: 2 },
  timezone,
  ...changes,
})

const explain = (text: string, changes: Partial<Deadline> = {}, graceDays = 0) =>
  penaltyOf(at(text), deadline(changes), graceDays).explanation

describe('the penalty of a late entry', () => {
  it.each([
    ['2027-01-31T23:59:59', 0, 'On time.'],
    ['2027-02-01T00:00', 0, 'On time, within the 5 minutes of grace.'],
    ['2027-02-01T00:05', 10, '1 day late (received 2027-02-01 00:05:00 (Europe/Berlin)): 10 % taken.'],
    ['2027-02-02T09:14', 20, '2 days late (received 2027-02-02 09:14:00 (Europe/Berlin)): 20 % taken.'],
    [
      '2027-02-03T00:05',
      100,
      '3 days late (received 2027-02-03 00:05:00 (Europe/Berlin)): more than 2 days, so it does not count.',
    ],
  ])('an entry of %s loses %d percent, and the sentence says why', (text, percent, explanation) => {
    expect(penaltyOf(at(text), deadline(), 0)).toMatchObject({ percent, explanation })
  })

  it('grace days are used before anything is taken, and extend how long entries count', () => {
    expect(explain('2027-02-02T09:14', {}, 1)).toContain(': 1 grace day used, 10 % taken.')
    expect(explain('2027-02-02T09:14', {}, 5)).toContain(': 2 grace days used, nothing taken.')
    expect(explain('2027-02-05T09:14', {}, 3)).toContain('5 days late')
    expect(penaltyOf(at('2027-02-05T09:14'), deadline(), 3)).toMatchObject({
      percent: 20,
      graceDaysUsed: 3,
      counts: true,
    })
    expect(explain('2027-02-05T09:14', {}, 2)).toContain('more than 2 days and 2 grace days')
  })

  it('an extension changes the penalty at once, and one before the end changes nothing', () => {
    const extended = { extendedTo: at('2027-02-02T12:00') }
    expect(explain('2027-02-02T09:14', extended)).toBe(
      'On time: the end is extended to 2027-02-02 12:00:00 (Europe/Berlin).',
    )
    expect(explain('2027-02-02T12:05', extended)).toContain('1 day late')
    expect(explain('2027-02-02T09:14', { extendedTo: at('2027-01-20') })).toContain('2 days late')
  })

  it('without a rule for late entries, only an extension makes later entries count', () => {
    const strict = { late: null }
    expect(penaltyOf(at('2027-02-01T00:00'), deadline(strict), 9).counts).toBe(false)
    const extended = deadline({ ...strict, extendedTo: at('2027-02-03') })
    expect(penaltyOf(at('2027-02-02T23:59'), extended, 0)).toMatchObject({ percent: 0, counts: true })
    expect(acceptedUntil(extended, 9)).toEqual(at('2027-02-03'))
  })

  it.each([
    ['2027-03-27T12:00', '2027-03-28T11:59:59', '2027-03-28T12:00', 23],
    ['2027-10-30T12:00', '2027-10-31T11:59:59', '2027-10-31T12:00', 25],
  ])(
    'a day from %s on ends when the clocks show the same time again, also if daylight saving changes',
    (end, last, next, hours) => {
      const rule = { grace_minutes: 0, percent_per_day: 10, max_days: 2 }
      const given = deadline({ endsAt: at(end), late: rule })
      expect(at(next).getTime() - at(end).getTime()).toBe(hours * 3_600_000)
      expect(penaltyOf(at(last), given, 0).daysLate).toBe(1)
      expect(penaltyOf(at(next), given, 0).daysLate).toBe(2)
    },
  )
})

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata']
const startMs = Date.UTC(2027, 0, 1)
const hours = (most: number) => fc.integer({ min: 0, max: most * 60 }).map((minutes) => minutes * 60_000)

const cases = fc.record({
  end: hours(24 * 365),
  extension: fc.option(hours(24 * 10)),
  late: fc.record({
    grace_minutes: fc.integer({ min: 0, max: 90 }),
    percent_per_day: fc.double({ min: 0, max: 100, noNaN: true }),
    max_days: fc.integer({ min: 0, max: 5 }),
  }),
  timezone: fc.constantFrom(...zones),
  delay: hours(24 * 12),
  later: hours(24 * 3),
  graceDays: fc.integer({ min: 0, max: 5 }),
})

type Case = typeof cases extends fc.Arbitrary<infer Value> ? Value : never

const toDeadline = ({ end, extension, late, timezone: zone }: Case): Deadline => ({
  endsAt: new Date(startMs + end),
  extendedTo: extension === null ? null : new Date(startMs + end + extension),
  late,
  timezone: zone,
})

describe('for all rules, times and zones', () => {
  const check = (holds: (given: Case, deadline: Deadline, receivedAt: Date) => void) =>
    fc.assert(
      fc.property(cases, (given) =>
        holds(given, toDeadline(given), new Date(startMs + given.end - 3_600_000 + given.delay)),
      ),
      { numRuns: 150 },
    )

  it('an entry counts exactly if it was received before the time until which entries are accepted', () => {
    check(({ graceDays }, given, receivedAt) => {
      expect(penaltyOf(receivedAt, given, graceDays).counts).toBe(
        receivedAt < acceptedUntil(given, graceDays),
      )
    })
  })

  it('an entry that is received later never loses less', () => {
    check(({ graceDays, later }, given, receivedAt) => {
      const after = penaltyOf(new Date(receivedAt.getTime() + later), given, graceDays)
      const before = penaltyOf(receivedAt, given, graceDays)
      expect(after.daysLate).toBeGreaterThanOrEqual(before.daysLate)
      expect(after.percent).toBeGreaterThanOrEqual(before.percent)
    })
  })

  it('more grace days or an extension never make an entry lose more, and at most the grace days are used', () => {
    check(({ graceDays, later }, given, receivedAt) => {
      const penalty = penaltyOf(receivedAt, given, graceDays)
      const extended = { ...given, extendedTo: new Date(given.endsAt.getTime() + later) }
      expect(penaltyOf(receivedAt, given, graceDays + 1).percent).toBeLessThanOrEqual(penalty.percent)
      expect(penaltyOf(receivedAt, extended, graceDays).percent).toBeLessThanOrEqual(
        penaltyOf(receivedAt, { ...given, extendedTo: null }, graceDays).percent,
      )
      expect(penalty.graceDaysUsed).toBeLessThanOrEqual(Math.min(graceDays, penalty.daysLate))
    })
  })
})
