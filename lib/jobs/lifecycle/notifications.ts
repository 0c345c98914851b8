import { parseSpec } from '../../contract/config/stored-spec'
import type { EndReason } from '../../contract/reasons'
import type { JobStatus } from '../../contract/status'
import { database } from '../../database/client'

/** An ended job whose end is to be told. */
export interface DueNotice {
  jobId: string
  userId: string
  url: string
  status: JobStatus
  reason: EndReason
  name: string | null
  endedAt: Date
}

/** After so many attempts, over two hours, nobody is told any more. */
export const mostNoticeAttempts = 10
/** From the beginning of an attempt to the next: doubled each time. Longer than an attempt may take. */
const firstWaitS = 15
const longestWaitS = 3600

interface DueRow extends Omit<DueNotice, 'url'> {
  spec: unknown
}

/** What is due, the users taking turns, so that one who has many keeps nobody else waiting. */
export async function dueNotices(limit: number, perUser: number): Promise<DueNotice[]> {
  const { rows } = await database().pool.query<DueRow>({
    name: 'due-notices',
    text: `SELECT * FROM (
             SELECT j.id AS "jobId", j.user_id AS "userId", j.spec, j.status, j.reason, j.name, j.ended_at AS "endedAt",
                    row_number() OVER (PARTITION BY j.user_id ORDER BY n.attempts, n.next_try_at) AS turn
               FROM job_notifications n JOIN jobs j ON j.id = n.job_id
              WHERE n.settled_at IS NULL AND n.next_try_at <= now() AND j.ended_at IS NOT NULL
           ) AS due WHERE turn <= $2 ORDER BY turn, "endedAt" LIMIT $1`,
    values: [limit, perUser],
  })
  return rows
    .map(parseSpec)
    .flatMap(({ spec, ...row }) => (spec.notify_url === undefined ? [] : [{ ...row, url: spec.notify_url }]))
}

/**
 * Takes a due notice for one attempt; null where another leader was first. The time of the next attempt is set before
 * this one begins: a leader that dies in it leaves it to the next.
 */
export async function claimNotice(jobId: string): Promise<{ attempt: number } | null> {
  const { rows } = await database().pool.query<{ attempt: number }>({
    name: 'take-notice',
    text: `UPDATE job_notifications
              SET attempts = attempts + 1,
                  next_try_at = now() + make_interval(secs => least($2 * 2 ^ attempts, $3))
            WHERE job_id = $1 AND settled_at IS NULL AND next_try_at <= now() RETURNING attempts AS attempt`,
    values: [jobId, firstWaitS, longestWaitS],
  })
  return rows[0] ?? null
}

/** Nothing more is sent: it arrived, or it never will. */
export async function settleNotice(jobId: string, problem: string | null): Promise<void> {
  await database().pool.query({
    name: 'settle-notice',
    text: 'UPDATE job_notifications SET settled_at = now(), problem = $2 WHERE job_id = $1 AND settled_at IS NULL',
    values: [jobId, problem],
  })
}

/** It is tried again: this is what went wrong. */
export async function noteNoticeProblem(jobId: string, problem: string): Promise<void> {
  await database().pool.query({
    name: 'note-notice-problem',
    text: 'UPDATE job_notifications SET problem = $2 WHERE job_id = $1 AND settled_at IS NULL',
    values: [jobId, problem],
  })
}
