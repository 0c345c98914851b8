import type { Limits } from '../../access/limits'
import { GpuqError } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'

interface Counts {
  active: number
  activeJob: string | null
  recent: number
  /** Seconds until the oldest recent submission leaves the window. */
  resetS: number
}

const windowS = 60
/** An active job may end at any moment: nobody can say when to come back. */
const retryActiveS = 10

export function isLimited({ submissionsPerMinute, maxActiveJobs }: Limits): boolean {
  return submissionsPerMinute !== null || maxActiveJobs !== null
}

/**
 * Decides the two limits on a user's submissions, under the lock on the user's row that the caller holds: of fifty
 * parallel submissions against one free place, one gets it. Returns the rate-limit headers of an admitted one.
 * @throws 429 with the sentence that says which limit, and when to try again.
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
    throw new GpuqError('rate_limited', tooManyActive(counts, maxActiveJobs), {
      headers: { 'retry-after': String(retryActiveS), ...rateHeaders(counts, submissionsPerMinute, 0) },
    })
  }
  if (submissionsPerMinute !== null && counts.recent >= submissionsPerMinute) {
    throw new GpuqError(
      'rate_limited',
      `You have submitted ${counts.recent} jobs in the last minute, and your limit is ${submissionsPerMinute}. Try again in ${counts.resetS} seconds.`,
      { headers: { 'retry-after': String(counts.resetS), ...rateHeaders(counts, submissionsPerMinute, 0) } },
    )
  }
  return rateHeaders(counts, submissionsPerMinute, 1)
}

async function count(tx: Transaction, userId: string): Promise<Counts> {
  const { rows } = await tx.query<Counts>({
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
  const [row] = rows
  if (!row) throw new Error('counting returned nothing')
  // Whoever waited for the lock looks from a moment before the submissions that went ahead of it.
  return { ...row, resetS: Math.min(windowS, Math.max(1, row.resetS)) }
}

function tooManyActive({ active, activeJob }: Counts, limit: number): string {
  const jobs = active === 1 ? `1 active job (${activeJob})` : `${active} active jobs`
  return `You have ${jobs}, and your limit is ${limit}. Wait until one ends, or cancel one.`
}

function rateHeaders({ recent, resetS }: Counts, limit: number | null, used: number): Record<string, string> {
  if (limit === null) return {}
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(Math.max(0, limit - recent - used)),
    'ratelimit-reset': String(resetS),
  }
}
