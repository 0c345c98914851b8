import { parseSpec } from '../../contract/config/stored-spec'
import type { EndReason } from '../../contract/reasons'
import type { JobStatus } from '../../contract/status'
import { database } from '../../database/client'
import { findRow } from '../../database/transaction'

/** A notification of the end of a job that is due. */
export interface DueNotice {
  jobId: string
  userId: string
  url: string
  status: JobStatus
  reason: EndReason
  name: string | null
  endedAt: Date
}

/** Attempts before gpuq gives up; they take more than two hours. */
export const mostNoticeAttempts = 10
/** Time between the starts of two attempts; doubles each time. Longer than the timeout of an attempt. */
const firstWaitS = 15
const longestWaitS = 3600

/** Returns due notifications. Takes the users in turn, so that no user's many notifications delay those of others. */
export async function dueNotices(limit: number, perUser: number): Promise<DueNotice[]> {
  const { rows } = await database().pool.query<Omit<DueNotice, 'url'> & { spec: unknown }>({
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
 * Claims a due notification for one attempt; null if another leader was first. Sets the time of the next attempt before
 * this one starts, so that another leader continues if this one dies.
 */
export async function claimNotice(jobId: string): Promise<{ attempt: number } | null> {
  return findRow<{ attempt: number }>(database().pool, {
    name: 'take-notice',
    text: `UPDATE job_notifications
              SET attempts = attempts + 1,
                  next_try_at = now() + make_interval(secs => least($2 * 2 ^ attempts, $3))
            WHERE job_id = $1 AND settled_at IS NULL AND next_try_at <= now() RETURNING attempts AS attempt`,
    values: [jobId, firstWaitS, longestWaitS],
  })
}

/** Ends the attempts, after success (`problem` is null) or for good. */
export async function settleNotice(jobId: string, problem: string | null): Promise<void> {
  await database().pool.query({
    name: 'settle-notice',
    text: 'UPDATE job_notifications SET settled_at = now(), problem = $2 WHERE job_id = $1 AND settled_at IS NULL',
    values: [jobId, problem],
  })
}

/** Stores why an attempt failed that will be repeated. */
export async function noteNoticeProblem(jobId: string, problem: string): Promise<void> {
  await database().pool.query({
    name: 'note-notice-problem',
    text: 'UPDATE job_notifications SET problem = $2 WHERE job_id = $1 AND settled_at IS NULL',
    values: [jobId, problem],
  })
}
