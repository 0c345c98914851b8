import type { JobNotice } from '../../contract/jobs'

/** The columns of the notification of a job's end. */
export interface NoticeRow {
  completed_at: Date | null
  /** Null before the end of the job. */
  notice_attempts: number | null
  notice_next_try_at: Date | null
  notice_settled_at: Date | null
  notice_problem: string | null
}

/** Returns the state of a notification. It does not contain the address. @param wanted whether the config has a `notify_url`. */
export function toNotice(row: NoticeRow, wanted: boolean): JobNotice | null {
  const { notice_attempts: attempts, notice_settled_at: settledAt, notice_problem: problem } = row
  if (attempts === null) {
    // The log forgets old messages.
    if (!wanted || row.completed_at !== null) return null
    return { state: 'waiting', attempts: 0, problem: null, next_try_at: null, settled_at: null }
  }
  const notice = { attempts, problem, next_try_at: null, settled_at: settledAt?.toISOString() ?? null }
  if (settledAt !== null) return { ...notice, state: problem === null ? 'delivered' : 'failed' }
  return { ...notice, state: 'retrying', next_try_at: row.notice_next_try_at?.toISOString() ?? null }
}
