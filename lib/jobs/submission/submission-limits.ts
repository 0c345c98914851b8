import type { EffectiveLimits } from '../../access/limits'
import type { Submitter } from '../../access/projects/submission-project'
import { type BlockingJob, GpuqError } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'
import { env } from '../../env'
import { countJobs, type JobCounts, readCounted } from './count-jobs'
import { askAdmin } from './job-limits'

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
function cancelledPerMinute({
  submissionsPerMinute,
}: Pick<EffectiveLimits, 'submissionsPerMinute'>): number | null {
  return submissionsPerMinute === null
    ? null
    : Math.max(submissionsPerMinute, env().GPUQ_CANCELLED_PER_MINUTE)
}

/**
 * Checks the limits on a user's submissions, and returns the rate-limit headers. The caller holds the lock on the
 * user's row, so that parallel submissions cannot exceed a limit together.
 * @param isDependent whether the new job waits for other jobs. Then it is not active, and has a limit of its own.
 * @throws 429 with the jobs because of which the limit refuses another.
 */
export async function requireWithinLimits(
  tx: Transaction,
  owner: Submitter,
  limits: EffectiveLimits,
  isDependent = false,
): Promise<Record<string, string>> {
  if (!isLimited(limits) && !isDependent) return {}
  const counts = await countJobs(tx, owner.userId)
  const exceeded = findExceeded(counts, limits, isDependent)
  const { submissionsPerMinute } = limits
  if (exceeded === null) return rateHeaders(counts, submissionsPerMinute, 1)
  const { list, retryAfterS, messageOf } = exceeded
  const jobs = list === null ? [] : await readCounted(tx, owner, list)
  throw new GpuqError('rate_limited', messageOf(jobs), {
    retryAfterS,
    headers: rateHeaders(counts, submissionsPerMinute, 0),
    ...(jobs.length > 0 && { jobs }),
  })
}

/**
 * Checks only how many submissions the user has made in the last minute: for a submission whose jobs enter the queue when the other
 * limits permit it. The caller holds the lock on the user's row.
 * @throws 429 as {@link requireWithinLimits}.
 */
export function requireSubmissionRate(
  tx: Transaction,
  owner: Submitter,
  limits: EffectiveLimits,
): Promise<Record<string, string>> {
  const { job } = limits
  return requireWithinLimits(tx, owner, {
    ...limits,
    maxActiveJobs: null,
    job: { ...job, max_waiting_jobs: null },
  })
}

/** How many more jobs of a user may enter the queue within the user's limits. */
export async function countFreePlaces(
  tx: Transaction,
  userId: string,
  { maxActiveJobs, job }: EffectiveLimits,
): Promise<number> {
  const { active, waiting } = await countJobs(tx, userId)
  const places = [
    maxActiveJobs === null ? Number.POSITIVE_INFINITY : maxActiveJobs - active,
    job.max_waiting_jobs === null ? Number.POSITIVE_INFINITY : job.max_waiting_jobs - waiting,
  ]
  return Math.max(0, Math.min(...places))
}

/** A limit that refuses another job. */
interface Exceeded {
  /** The jobs to name; null: to cancel a job does not help. */
  list: Parameters<typeof readCounted>[2] | null
  retryAfterS: number
  messageOf(jobs: readonly BlockingJob[]): string
}

function findExceeded(counts: JobCounts, limits: EffectiveLimits, isDependent: boolean): Exceeded | null {
  const place = isDependent ? findDependentPlace(counts) : findActivePlace(counts, limits)
  if (place !== null) return place
  const { submissionsPerMinute: perMinute } = limits
  const { recent, resetS, cancelled, cancelledResetS } = counts
  if (perMinute !== null && recent >= perMinute) {
    const messageOf: Exceeded['messageOf'] = (jobs) =>
      `You have submitted ${recent} jobs in the last minute, and your limit is ${perMinute}. Try again in ${resetS} seconds${jobs.length > 0 ? `, or cancel one that waits${named(jobs)}` : ''}. ${askAdmin}`
    return { list: 'recent', retryAfterS: resetS, messageOf }
  }
  const mostCancelled = cancelledPerMinute(limits)
  if (mostCancelled === null || cancelled < mostCancelled) return null
  const message = `You have submitted and then cancelled ${cancelled} waiting jobs in the last minute, and the limit is ${mostCancelled}. Try again in ${cancelledResetS} seconds.`
  return { list: null, retryAfterS: cancelledResetS, messageOf: () => message }
}

function findActivePlace(
  { active, waiting }: JobCounts,
  { maxActiveJobs, job }: EffectiveLimits,
): Exceeded | null {
  const retryAfterS = retryActiveS
  if (maxActiveJobs !== null && active >= maxActiveJobs) {
    const advice = active === 1 ? 'Wait until it ends, or cancel it.' : 'Wait until one ends, or cancel one.'
    const messageOf: Exceeded['messageOf'] = (jobs) =>
      `You have ${active} active job${active === 1 ? '' : 's'}${named(jobs, active)}, and your limit is ${maxActiveJobs}. ${advice} ${askAdmin}`
    return { list: 'active', retryAfterS, messageOf }
  }
  const { max_waiting_jobs: most } = job
  if (most === null || waiting < most) return null
  const messageOf: Exceeded['messageOf'] = (jobs) =>
    `You have ${waiting} waiting jobs${named(jobs, waiting)}, and your limit max_waiting_jobs is ${most}. Wait until one starts, or cancel one. ${askAdmin}`
  return { list: 'waiting', retryAfterS, messageOf }
}

function findDependentPlace({ dependent }: JobCounts): Exceeded | null {
  const { GPUQ_MAX_DEPENDENT_JOBS: most } = env()
  if (dependent < most) return null
  const messageOf: Exceeded['messageOf'] = (jobs) =>
    `You have ${dependent} jobs that wait for other jobs or for an approval${named(jobs, dependent)}, and the limit is ${most} (GPUQ_MAX_DEPENDENT_JOBS). Wait until the other jobs have completed or a person has approved, or cancel one that waits. An admin can raise the limit.`
  return { list: 'dependent', retryAfterS: retryActiveS, messageOf }
}

/** The names of jobs in brackets, or the ids of those without one. Empty without jobs. */
function named(jobs: readonly BlockingJob[], count = jobs.length): string {
  if (jobs.length === 0) return ''
  const names = jobs.map(({ name, job_id: id }) => (name === null ? id : `"${name}"`))
  const more = count > jobs.length ? ` and ${count - jobs.length} more` : ''
  return ` (${names.join(', ')}${more})`
}

function rateHeaders(
  { recent, resetS }: JobCounts,
  limit: number | null,
  used: number,
): Record<string, string> {
  if (limit === null) return {}
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(Math.max(0, limit - recent - used)),
    'ratelimit-reset': String(resetS),
  }
}

/** Serializes the decisions about a user's submissions. The fixed order of the locks prevents deadlocks. */
export async function lockUsers(tx: Transaction, userIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'lock-users',
    text: 'SELECT 1 FROM users WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
    values: [userIds],
  })
}
