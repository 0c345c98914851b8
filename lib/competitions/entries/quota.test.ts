import { describe, expect, it } from 'vitest'
import { quotaLeft, refuseByQuota, refuseEntry, refuseRehearsal } from './quota'

const timezone = 'Europe/Berlin'
const moment = { at: new Date('2027-03-28T00:30Z'), timezone }
const used = { today: 0, total: 0, failuresToday: 0 }

describe('the quota of a team', () => {
  it('is what the limits leave, and a limit of a day ends with the day of the competition, also when the clocks change', () => {
    const left = quotaLeft(
      { per_day: 5, total: 60, failures_per_day: 10 },
      { today: 3, total: 20, failuresToday: 12 },
      moment,
    )
    expect(left).toEqual({
      per_day: { limit: 5, used: 3, left: 2, resets_at: '2027-03-28T22:00:00.000Z' },
      total: { limit: 60, used: 20, left: 40, resets_at: null },
      failures_per_day: { limit: 10, used: 12, left: 0, resets_at: '2027-03-28T22:00:00.000Z' },
    })
  })

  it('a limit that the phase does not have is null', () => {
    expect(quotaLeft({ total: 2 }, used, moment)).toMatchObject({ per_day: null, failures_per_day: null })
  })

  it.each([
    [
      { today: 5 },
      'Your team has sent 5 entries today, and the limit is 5 a day. The next is possible from 2027-03-29 00:00:00',
    ],
    [{ total: 60 }, 'Your team has sent 60 entries in this phase, and the limit is 60 in all.'],
    [{ failuresToday: 10 }, '10 entries of your team have failed today, and the limit is 10 a day.'],
    [{ today: 5, total: 60 }, 'in this phase'],
  ])('a refusal for %j says what is used up and when it comes back', (more, sentence) => {
    const left = quotaLeft({ per_day: 5, total: 60, failures_per_day: 10 }, { ...used, ...more }, moment)
    expect(refuseByQuota(left, timezone)).toContain(sentence)
  })

  it('entries that no limit of the phase counts are at most 100 a day: withdrawn ones, and failures without a limit of their own', () => {
    const used = { today: 0, total: 0, failuresToday: 40, freeToday: 60 }
    expect(refuseEntry({ per_day: 5 }, used, moment)).toContain(
      '100 entries of your team were withdrawn or failed today without counting to a limit of the phase, and at most 100 a day are accepted. The next is possible from 2027-03-29 00:00:00',
    )
    expect(refuseEntry({ per_day: 5 }, { ...used, freeToday: 59 }, moment)).toBeNull()
    expect(refuseEntry({ per_day: 5, failures_per_day: 50 }, used, moment)).toBeNull()
  })

  it('an unused quota refuses nothing', () => {
    expect(
      refuseByQuota(quotaLeft({ per_day: 1, total: 1, failures_per_day: 1 }, used, moment), timezone),
    ).toBeNull()
  })
})

it('a team has at most 3 rehearsals that have not ended, and 50 a day', () => {
  expect(refuseRehearsal({ open: 2, today: 49 }, moment)).toBeNull()
  expect(refuseRehearsal({ open: 3, today: 3 }, moment)).toContain('the limit is 3')
  expect(refuseRehearsal({ open: 0, today: 50 }, moment)).toContain(
    'the limit is 50 a day. The next is possible from 2027-03-29 00:00:00',
  )
})
