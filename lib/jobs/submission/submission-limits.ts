import type { EffectiveLimits } from '../../access/limits'
import { GpuqError, rateLimited } from '../../contract/errors'
import { oneRow, type Transaction } from '../../database/transaction'
import { env } from '../../env'
import { askAdmin } from './job-limits'

interface Counts {
  active: number
  activeJob: string | null
  waiting: number
  recent: number
  /** Seconds until the oldest recent submission leaves the window. */
  resetS: number
  /** Recent submissions that were cancelled while they waited. */
  cancelled: number
  /** Seconds until the oldest of them leaves the window. */
  cancelledResetS: number
}

const windowS = 60
/** It is unknown when an active job ends. */
const retryActiveS = 10

/** Whether the number of the user's other jobs matters. */
export function isLimited({ submissionsPerMinute, maxActiveJobs, job }: EffectiveLimits): boolean {
  return submissionsPerMinute !== null || maxActiveJobs !== null || job.max_waiting_jobs !== null
}

/**
 * Jobs that may be submitted and cancelled before they run, per minute. They do not count as submissions, so that a
 * user can correct a mistake. Without a limit of their own, submitting and cancelling in turn would have no limit.
 * It is never below the limit on submissions.
 */
function cancelledPerMinute({ submissionsPerMinute }: EffectiveLimits): number | null {
  return submissionsPerMinute === null
    ? null
    : Math.max(submissionsPerMinute, env().GPUQ_CANCELLED_PER_MINUTE)
}

/**
 * Checks the limits on a user's submissions, and returns the rate-limit headers. The caller holds the lock on the
 * user's row, so that parallel submissions cannot exceed a limit together.
 * @throws 429.
 */
export async function requireWithinLimits(
  tx: Transaction,
  userId: string,
  limits: EffectiveLimits,
): Promise<Record<string, string>> {
  if (!isLimited(limits)) return {}
  const { submissionsPerMinute, maxActiveJobs } = limits
  const counts = await count(tx, userId)
  if (maxActiveJobs !== null && counts.active >= maxActiveJobs) {
    const { active, activeJob } = counts
    const jobs = active === 1 ? `1 active job (${activeJob})` : `${active} active jobs`
    throw new GpuqError(
      'rate_limited',
      `You have ${jobs}, and your limit is ${maxActiveJobs}. Wait until one ends, or cancel one. ${askAdmin}`,
      { retryAfterS: retryActiveS, headers: rateHeaders(counts, submissionsPerMinute, 0) },
    )
  }
  const { max_waiting_jobs: maxWaiting } = limits.job
  if (maxWaiting !== null && counts.waiting >= maxWaiting) {
    throw new GpuqError(
      'rate_limited',
      `You have ${counts.waiting} waiting jobs, and your limit max_waiting_jobs is ${maxWaiting}. Wait until one starts, or cancel one. ${askAdmin}`,
      { retryAfterS: retryActiveS, headers: rateHeaders(counts, submissionsPerMinute, 0) },
    )
  }
  if (submissionsPerMinute !== null && counts.recent >= submissionsPerMinute) {
    throw new GpuqError(
      'rate_limited',
      `You have submitted ${counts.recent} jobs in the last minute, and your limit is ${submissionsPerMinute}. Try again in ${counts.resetS} seconds. ${askAdmin}`,
      { retryAfterS: counts.resetS, headers: rateHeaders(counts, submissionsPerMinute, 0) },
    )
  }
  const mostCancelled = cancelledPerMinute(limits)
  if (mostCancelled !== null && counts.cancelled >= mostCancelled) {
    const { cancelled, cancelledResetS } = counts
    throw rateLimited(
      `You have submitted and then cancelled ${cancelled} waiting jobs in the last minute, and the limit is ${mostCancelled}. Try again in ${cancelledResetS} seconds.`,
      cancelledResetS,
    )
  }
  return rateHeaders(counts, submissionsPerMinute, 1)
}

async function count(tx: Transaction, userId: string): Promise<Counts> {
  const counts = await oneRow<Counts>(tx, {
    name: 'count-submissions',
    text: `WITH active AS (
             SELECT id, status FROM jobs WHERE user_id = $1 AND status IN ('pending', 'scheduled', 'running')
           ), recent AS (
             SELECT count(*) FILTER (WHERE NOT cancelled_while_waiting)::int AS submitted,
                    min(created_at) FILTER (WHERE NOT cancelled_while_waiting) AS first_submitted,
                    count(*) FILTER (WHERE cancelled_while_waiting)::int AS cancelled,
                    min(created_at) FILTER (WHERE cancelled_while_waiting) AS first_cancelled
               FROM jobs WHERE user_id = $1 AND created_at > now() - make_interval(secs => $2)
           )
           SELECT (SELECT count(*) FROM active)::int AS active, (SELECT min(id::text) FROM active) AS "activeJob",
                  (SELECT count(*) FROM active WHERE status = 'pending')::int AS waiting,
                  submitted AS recent, ${secondsUntilReset('first_submitted')} AS "resetS",
                  cancelled, ${secondsUntilReset('first_cancelled')} AS "cancelledResetS"
             FROM recent`,
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

function rateHeaders({ recent, resetS }: Counts, limit: number | null, used: number): Record<string, string> {
  if (limit === null) return {}
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(Math.max(0, limit - recent - used)),
    'ratelimit-reset': String(resetS),
  }
}
