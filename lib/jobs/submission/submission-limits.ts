import type { Limits } from '../../access/limits'
import { GpuqError } from '../../contract/errors'
import { oneRow, type Transaction } from '../../database/transaction'

interface Counts {
  active: number
  activeJob: string | null
  recent: number
  /** Seconds until the oldest recent submission leaves the window. */
  resetS: number
}

const windowS = 60
/** It is unknown when an active job ends. */
const retryActiveS = 10

export function isLimited({ submissionsPerMinute, maxActiveJobs }: Limits): boolean {
  return submissionsPerMinute !== null || maxActiveJobs !== null
}

/**
 * Checks the two limits on a user's submissions, and returns the rate-limit headers. The caller holds the lock on the
 * user's row, so that parallel submissions cannot exceed a limit together.
 * @throws 429.
 */
export async function requireWithinLimits(
  tx: Transaction,
  userId: string,
  limits: Limits,
): Promise<Record<string, string>> {
  if (!isLimited(limits)) return {}
  const { submissionsPerMinute, maxActiveJobs } = limits
  const counts = await count(tx, userId)
  if (maxActiveJobs !== null && counts.active >= maxActiveJobs) {
    const { active, activeJob } = counts
    const jobs = active === 1 ? `1 active job (${activeJob})` : `${active} active jobs`
    throw new GpuqError(
      'rate_limited',
      `You have ${jobs}, and your limit is ${maxActiveJobs}. Wait until one ends, or cancel one.`,
      { retryAfterS: retryActiveS, headers: rateHeaders(counts, submissionsPerMinute, 0) },
    )
  }
  if (submissionsPerMinute !== null && counts.recent >= submissionsPerMinute) {
    throw new GpuqError(
      'rate_limited',
      `You have submitted ${counts.recent} jobs in the last minute, and your limit is ${submissionsPerMinute}. Try again in ${counts.resetS} seconds.`,
      { retryAfterS: counts.resetS, headers: rateHeaders(counts, submissionsPerMinute, 0) },
    )
  }
  return rateHeaders(counts, submissionsPerMinute, 1)
}

async function count(tx: Transaction, userId: string): Promise<Counts> {
  const counts = await oneRow<Counts>(tx, {
    name: 'count-submissions',
    text: `WITH active AS (
             SELECT id FROM jobs WHERE user_id = $1 AND status IN ('pending', 'scheduled', 'running')
           ), recent AS (
             SELECT created_at FROM jobs
              WHERE user_id = $1 AND created_at > now() - make_interval(secs => $2) AND NOT cancelled_while_waiting
           )
           SELECT (SELECT count(*) FROM active)::int AS active, (SELECT min(id::text) FROM active) AS "activeJob",
                  (SELECT count(*) FROM recent)::int AS recent,
                  coalesce(ceil($2 - extract(epoch FROM now() - (SELECT min(created_at) FROM recent))), $2)::int AS "resetS"`,
    values: [userId, windowS],
  })
  // A transaction that waited for the lock began before the submissions that it counts.
  return { ...counts, resetS: Math.min(windowS, Math.max(1, counts.resetS)) }
}

function rateHeaders({ recent, resetS }: Counts, limit: number | null, used: number): Record<string, string> {
  if (limit === null) return {}
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(Math.max(0, limit - recent - used)),
    'ratelimit-reset': String(resetS),
  }
}
