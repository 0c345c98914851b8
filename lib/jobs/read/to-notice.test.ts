import { describe, expect, it } from 'vitest'
import { type NoticeRow, toNotice } from './to-notice'

const at = new Date('2026-11-21T12:00:00Z')
const row = (given: Partial<NoticeRow>): NoticeRow => ({
  completed_at: at,
  notice_attempts: 0,
  notice_next_try_at: at,
  notice_settled_at: null,
  notice_problem: null,
  ...given,
})

describe('toNotice', () => {
  it('is null without a notify_url', () => {
    expect(toNotice(row({ notice_attempts: null, completed_at: null }), false)).toBeNull()
  })

  it('is null when the log has deleted the message', () => {
    expect(toNotice(row({ notice_attempts: null }), true)).toBeNull()
  })

  it('waits for the end of the job', () => {
    expect(toNotice(row({ notice_attempts: null, completed_at: null }), true)).toMatchObject({
      state: 'waiting',
      next_try_at: null,
    })
  })

  it('names the next attempt and the last problem', () => {
    expect(toNotice(row({ notice_attempts: 2, notice_problem: 'The address answered 500.' }), true)).toEqual({
      state: 'retrying',
      attempts: 2,
      problem: 'The address answered 500.',
      next_try_at: '2026-11-21T12:00:00.000Z',
      settled_at: null,
    })
  })

  it('a settled notification is delivered without a problem, and failed with one', () => {
    const settled = { notice_attempts: 3, notice_settled_at: at }
    expect(toNotice(row(settled), true)).toMatchObject({ state: 'delivered', next_try_at: null })
    expect(toNotice(row({ ...settled, notice_problem: 'The address answered 503.' }), true)).toMatchObject({
      state: 'failed',
      problem: 'The address answered 503.',
    })
  })
})
