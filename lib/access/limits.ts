import { env } from '../env'
import type { Actor } from './actor'

/** Submission limits; null: unlimited. */
export interface Limits {
  submissionsPerMinute: number | null
  maxActiveJobs: number | null
}

/**
 * Returns the limits of an actor in a project: the user's own, otherwise the project's, otherwise the default.
 * Admins have no default limits.
 */
export function effectiveLimits(actor: Pick<Actor, 'role' | 'limits'>, project: Limits): Limits {
  const { GPUQ_SUBMISSIONS_PER_MINUTE, GPUQ_MAX_ACTIVE_JOBS } = env()
  const fallback: Limits =
    actor.role === 'admin'
      ? { submissionsPerMinute: null, maxActiveJobs: null }
      : { submissionsPerMinute: GPUQ_SUBMISSIONS_PER_MINUTE, maxActiveJobs: GPUQ_MAX_ACTIVE_JOBS }
  const pick = (key: keyof Limits) => actor.limits[key] ?? project[key] ?? fallback[key]
  return { submissionsPerMinute: pick('submissionsPerMinute'), maxActiveJobs: pick('maxActiveJobs') }
}
