import type { Submitter } from '../../access/projects/submission-project'
import { isReached, reachOf } from '../../access/restriction'
import type { BlockingJob } from '../../contract/errors'
import { inactiveWaits } from '../../contract/reasons'
import { type JobStatus, toUploadStatus } from '../../contract/status'
import { oneRow, type Transaction } from '../../database/transaction'
import { startsNodesOnDemand } from '../../env/engine'
import { lostNode } from '../config/registered-nodes'

/** A user's jobs, as far as limits count them. */
export interface JobCounts {
  /** Jobs that run, or that could start when resources are free. */
  active: number
  /** Those of them that do not run yet. */
  waiting: number
  /** Jobs that wait for other jobs, or for an approval. */
  dependent: number
  /** Submissions of the last minute. A group is one. */
  recent: number
  /** Seconds until the oldest recent submission leaves the window. */
  resetS: number
  /** Recent submissions that were cancelled while they waited. */
  cancelled: number
  /** Seconds until the oldest of them leaves the window. */
  cancelledResetS: number
}

const windowS = 60

/** SQL for whether a job waits for other jobs, or for an approval, also while its user holds it: to hold it must not make room for more. */
const dependent = `status = 'pending' AND coalesce(reason IN ('dependency', 'approval_needed') OR (reason = 'held'
  AND (EXISTS (SELECT 1 FROM job_dependencies d WHERE d.job_id = jobs.id) OR EXISTS (SELECT 1 FROM approval_requests a WHERE a.job_id = jobs.id))), false)`

/** SQL for whether a job cannot start by itself. */
const inactive = `status = 'pending' AND (reason IN (${inactiveWaits.map((reason) => `'${reason}'`).join(', ')})) IS TRUE`

/**
 * SQL for whether nodes may fit a job of `jobs`. Where nodes are started on demand, jobs are accepted that none of the present nodes
 * fits: they count, so that nobody fills the queue with them, unless an admin took the node away that fitted.
 */
const mayFit = () =>
  startsNodesOnDemand() ? `(never_fits_since IS NULL OR NOT ${lostNode('jobs')})` : 'never_fits_since IS NULL'

/** SQL conditions for the jobs that a limit counts. A job that no node fits any more, or that cannot start by itself, is not active. */
const conditions = {
  active: () => `status IN ('pending', 'scheduled', 'running') AND ${mayFit()} AND NOT (${inactive})`,
  waiting: () => `status = 'pending' AND ${mayFit()} AND NOT (${inactive})`,
  dependent: () => dependent,
  // To cancel a waiting job gives its submission back.
  recent: () =>
    `status = 'pending' AND group_id IS NULL AND created_at > now() - interval '${windowS} seconds'`,
} as const

/** Counts a user's jobs for the limits. */
export async function countJobs(tx: Transaction, userId: string): Promise<JobCounts> {
  const counts = await oneRow<JobCounts>(tx, {
    name: startsNodesOnDemand() ? 'count-submissions-on-demand' : 'count-submissions',
    text: `WITH live AS (
             SELECT count(*) FILTER (WHERE ${conditions.active()})::int AS active, count(*) FILTER (WHERE ${conditions.waiting()})::int AS waiting,
                    count(*) FILTER (WHERE ${dependent})::int AS dependent
               FROM jobs WHERE user_id = $1 AND status IN ('pending', 'scheduled', 'running')
           ), submissions AS (
             SELECT created_at, cancelled_while_waiting FROM jobs
              WHERE user_id = $1 AND group_id IS NULL AND created_at > now() - make_interval(secs => $2)
             UNION ALL
             SELECT created_at, false FROM job_groups WHERE user_id = $1 AND created_at > now() - make_interval(secs => $2)
           ), recent AS (
             SELECT count(*) FILTER (WHERE NOT cancelled_while_waiting)::int AS submitted,
                    min(created_at) FILTER (WHERE NOT cancelled_while_waiting) AS first_submitted,
                    count(*) FILTER (WHERE cancelled_while_waiting)::int AS cancelled,
                    min(created_at) FILTER (WHERE cancelled_while_waiting) AS first_cancelled
               FROM submissions
           )
           SELECT live.*, submitted AS recent, ${secondsUntilReset('first_submitted')} AS "resetS",
                  cancelled, ${secondsUntilReset('first_cancelled')} AS "cancelledResetS"
             FROM live, recent`,
    values: [userId, windowS],
  })
  return {
    ...counts,
    resetS: withinWindow(counts.resetS),
    cancelledResetS: withinWindow(counts.cancelledResetS),
  }
}

/** SQL for the seconds until a job that was created at `first` leaves the window of $2 seconds. */
const secondsUntilReset = (first: string) =>
  `coalesce(ceil($2 - extract(epoch FROM now() - ${first})), $2)::int`

/** A transaction that waited for the lock began before the submissions that it counts. */
const withinWindow = (seconds: number) => Math.min(windowS, Math.max(1, seconds))

/** As many as a person reads. */
const maxListed = 5

/** Reads the oldest jobs of a user that a limit counts, and that the user could cancel. A restricted token sees only those that it reaches. */
export async function readCounted(
  tx: Transaction,
  { userId, restriction }: Submitter,
  counted: keyof typeof conditions,
): Promise<BlockingJob[]> {
  const { rows } = await tx.query<BlockingJob & { status: JobStatus }>(
    `SELECT id AS job_id, name, status FROM jobs WHERE user_id = $1 AND ${isReached('jobs', '$2', '$3')} AND ${conditions[counted]()}
      ORDER BY created_at, id LIMIT ${maxListed}`,
    [userId, ...reachOf(restriction)],
  )
  return rows.map((job) => ({ ...job, status: toUploadStatus(job.status) }))
}
