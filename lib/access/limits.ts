import { env } from '../env'
import type { Actor } from './actor'

/** How much a user may submit; null is no limit. */
export interface Limits {
  submissionsPerMinute: number | null
  maxActiveJobs: number | null
}

/**
 * The limits that hold for an actor in a project: the user's own, else the project's, else the default. The default of
 * an admin is none.
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
