import { describe, expect, it } from 'vitest'
import { describeNotice } from './job-notice'

const notice = { attempts: 0, problem: null, next_try_at: null, settled_at: null }
const at = '2026-11-21T12:00:00.000Z'

describe('describeNotice', () => {
  it('describes a sent notification and the number of attempts', () => {
    expect(describeNotice({ ...notice, state: 'delivered', attempts: 1, settled_at: at })).toMatchObject({
      tone: 'success',
      badge: 'sent',
      text: '',
      at,
    })
    expect(describeNotice({ ...notice, state: 'delivered', attempts: 3 }).text).toBe('After 3 attempts.')
  })

  it('describes the last error and the next attempt', () => {
    const trying = { ...notice, state: 'retrying' as const, next_try_at: at }
    expect(describeNotice(trying)).toEqual({ tone: 'info', badge: 'sending' })
    expect(describeNotice({ ...trying, attempts: 1, problem: 'The address answered 500.' })).toMatchObject({
      badge: 'retrying',
      text: '1 attempt failed: The address answered 500.',
      atLabel: 'Next attempt',
      at,
    })
  })

  it('describes the error of a failed notification', () => {
    const gone = {
      ...notice,
      state: 'failed' as const,
      attempts: 10,
      problem: 'Nothing listens at the address.',
    }
    expect(describeNotice(gone)).toMatchObject({
      tone: 'danger',
      text: 'After 10 attempts: Nothing listens at the address.',
    })
  })
})
