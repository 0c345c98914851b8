import type { JobNotice } from '../../contract/jobs'

/** What is known of the notice of a job's end; no attempts: nobody asked for one. */
export interface NoticeRow {
  ended_at: Date | null
  notice_attempts: number | null
  notice_next_try_at: Date | null
  notice_settled_at: Date | null
  notice_problem: string | null
}

/** Whether who wanted to know of a job's end was told. The address itself is in the config alone. */
export function toNotice(row: NoticeRow): JobNotice | null {
  const { ended_at, notice_attempts: attempts, notice_settled_at: settledAt, notice_problem: problem } = row
  if (attempts === null) return null
  const nothing = { attempts, problem, next_try_at: null, settled_at: settledAt?.toISOString() ?? null }
  if (settledAt !== null) return { ...nothing, state: problem === null ? 'told' : 'given_up' }
  if (ended_at === null) return { ...nothing, state: 'waiting' }
  return { ...nothing, state: 'trying', next_try_at: row.notice_next_try_at?.toISOString() ?? null }
}
