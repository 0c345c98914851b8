import { database } from '../database/client'
import { channels } from '../database/listen'
import { findRow } from '../database/transaction'

/** The results of an ended job, which are to be stored in the bucket of its project. */
export interface JobUpload {
  jobId: string
  bucketId: string
  attempt: number
  /** Null: its files were deleted. */
  resultName: string | null
  /** Failed attempts, including this one. */
  attempts: number
}

/** How long an attempt may be silent before another web server takes over. */
const claimS = 60
const firstWaitS = 15
const longestWaitS = 600

/** Returns the jobs whose results are due for an attempt, those with the fewest attempts first. */
export async function dueUploads(limit: number): Promise<string[]> {
  const { rows } = await database().pool.query<{ jobId: string }>({
    name: 'due-uploads',
    text: `SELECT u.job_id AS "jobId" FROM job_uploads u JOIN jobs j ON j.id = u.job_id
            WHERE u.settled_at IS NULL AND u.next_try_at <= now() AND j.ended_at IS NOT NULL AND j.result_stored
            ORDER BY u.attempts, u.next_try_at LIMIT $1`,
    values: [limit],
  })
  return rows.map(({ jobId }) => jobId)
}

/** Claims a due upload for one attempt; null if another web server was first. */
export function claimUpload(jobId: string): Promise<JobUpload | null> {
  return findRow<JobUpload>(database().pool, {
    name: 'claim-upload',
    text: `UPDATE job_uploads u SET attempts = u.attempts + 1, next_try_at = now() + make_interval(secs => $2)
             FROM jobs j LEFT JOIN result_files f ON f.job_id = j.id AND j.files_deleted IS NULL
            WHERE u.job_id = $1 AND j.id = u.job_id AND u.settled_at IS NULL AND u.next_try_at <= now()
           RETURNING j.id AS "jobId", u.bucket_id AS "bucketId", j.attempt, f.name AS "resultName", u.attempts`,
    values: [jobId, claimS],
  })
}

/** Keeps a claim while its attempt runs. Call it more often than once a minute. */
export async function renewClaim(jobId: string): Promise<void> {
  await database().pool.query({
    name: 'renew-upload-claim',
    text: `UPDATE job_uploads SET next_try_at = now() + make_interval(secs => $2)
            WHERE job_id = $1 AND settled_at IS NULL`,
    values: [jobId, claimS],
  })
}

/** Ends the attempts: everything is stored (`problem` is null), or can never be stored. */
export async function settleUpload(jobId: string, problem: string | null): Promise<void> {
  await database().pool.query({
    name: 'settle-upload',
    text: `UPDATE job_uploads SET settled_at = now(), problem = $2 WHERE job_id = $1 AND settled_at IS NULL
           RETURNING pg_notify('${channels.job}', job_id::text)`,
    values: [jobId, problem],
  })
}

/** Stores why an attempt failed, and when the next one is due: after 15 s, doubled each time up to ten minutes. */
export async function delayUpload({ jobId, attempts }: JobUpload, problem: string): Promise<void> {
  const waitS = Math.min(firstWaitS * 2 ** (attempts - 1), longestWaitS)
  await database().pool.query({
    name: 'delay-upload',
    text: `UPDATE job_uploads SET problem = $2, next_try_at = now() + make_interval(secs => $3)
            WHERE job_id = $1 AND settled_at IS NULL RETURNING pg_notify('${channels.job}', job_id::text)`,
    values: [jobId, problem, waitS],
  })
}
