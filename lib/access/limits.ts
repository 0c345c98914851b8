import type { Role } from '../contract/roles'
import { env } from '../env'

/** Submission limits. Null: the next limit of {@link effectiveLimits} applies; in the result, unlimited. */
export interface Limits {
  submissionsPerMinute: number | null
  maxActiveJobs: number | null
}

/** SQL for the column `limits`: the {@link Limits} of a row of users or projects. */
export const limitsOf = (row: string) =>
  `jsonb_build_object('submissionsPerMinute', ${row}.submissions_per_minute, 'maxActiveJobs', ${row}.max_active_jobs) AS limits`

/**
 * Returns the limits of an actor in a project: the user's own, otherwise the project's, otherwise the default.
 * Admins have no default limits.
 */
export function effectiveLimits(actor: { role: Role; limits: Limits }, project: Limits): Limits {
  const { GPUQ_SUBMISSIONS_PER_MINUTE, GPUQ_MAX_ACTIVE_JOBS } = env()
  const fallback: Limits =
    actor.role === 'admin'
      ? { submissionsPerMinute: null, maxActiveJobs: null }
      : { submissionsPerMinute: GPUQ_SUBMISSIONS_PER_MINUTE, maxActiveJobs: GPUQ_MAX_ACTIVE_JOBS }
  const pick = (key: keyof Limits) => actor.limits[key] ?? project[key] ?? fallback[key]
  return { submissionsPerMinute: pick('submissionsPerMinute'), maxActiveJobs: pick('maxActiveJobs') }
}
