import type { z } from 'zod'
import { type JobLimits, noJobLimits, type updateLimitsSchema } from '../contract/access/limits'
import type { Role } from '../contract/access/roles'
import { env } from '../env'
import { assignments } from './assignments'

type LimitChanges = z.output<typeof updateLimitsSchema>

/** The limits of a user, a project or a role. Null or missing: the next limit of {@link effectiveLimits} applies. */
export interface Limits {
  submissionsPerMinute: number | null
  maxActiveJobs: number | null
  job?: Partial<JobLimits>
}

/** The limits that apply to a submission. Null: unlimited. */
export interface EffectiveLimits extends Limits {
  job: JobLimits
}

/** SQL for the column `limits`: the {@link Limits} of a row of users, projects or role_limits. */
export const limitsOf = (row: string) =>
  `jsonb_build_object('submissionsPerMinute', ${row}.submissions_per_minute, 'maxActiveJobs', ${row}.max_active_jobs,
     'job', ${row}.job_limits) AS limits`

const jobLimitNames = Object.keys(noJobLimits) as (keyof JobLimits)[]

/** SQL for the column `limits` as the API shows it. */
export const apiLimitsOf = (row: string) =>
  `jsonb_build_object('submissions_per_minute', ${row}.submissions_per_minute, 'max_active_jobs', ${row}.max_active_jobs)
     || '${JSON.stringify(noJobLimits)}' || ${row}.job_limits AS limits`

/**
 * SQL for a limit on the jobs of a user `u` with the role `r` in a project `p`, as text: what {@link effectiveLimits}
 * returns.
 */
export const jobLimitOf = (name: keyof JobLimits) =>
  `coalesce(u.job_limits ->> '${name}', p.job_limits ->> '${name}', r.job_limits ->> '${name}')`

/** Returns the limits of an actor in a project: the user's own, otherwise the project's, otherwise the role's. */
export function effectiveLimits(
  actor: { role: Role; limits: Limits },
  project: Limits,
  role: Limits,
): EffectiveLimits {
  const defaults = defaultsOf(actor.role)
  const pick = (key: 'submissionsPerMinute' | 'maxActiveJobs') =>
    actor.limits[key] ?? project[key] ?? role[key] ?? defaults[key]
  const jobLimits = jobLimitNames.map((name) => [
    name,
    actor.limits.job?.[name] ?? project.job?.[name] ?? role.job?.[name] ?? null,
  ])
  return {
    submissionsPerMinute: pick('submissionsPerMinute'),
    maxActiveJobs: pick('maxActiveJobs'),
    job: Object.fromEntries(jobLimits) as JobLimits,
  }
}

/** The limits that apply if an admin has set none. Admins have none. */
function defaultsOf(role: Role): Limits {
  if (role === 'admin') return { submissionsPerMinute: null, maxActiveJobs: null }
  const { GPUQ_SUBMISSIONS_PER_MINUTE, GPUQ_MAX_ACTIVE_JOBS } = env()
  return { submissionsPerMinute: GPUQ_SUBMISSIONS_PER_MINUTE, maxActiveJobs: GPUQ_MAX_ACTIVE_JOBS }
}

/**
 * Returns the `SET` list of an UPDATE for changed limits and other columns of their row, as {@link assignments} does.
 * Null in the changes removes a limit.
 */
export function assignmentsWithLimits(
  columns: Record<string, unknown>,
  { submissions_per_minute, max_active_jobs, ...jobLimits }: LimitChanges,
  first: number,
): ReturnType<typeof assignments> {
  const set = assignments({ ...columns, submissions_per_minute, max_active_jobs }, first)
  const json = JSON.stringify(jobLimits)
  if (json !== '{}') {
    set.list.push(`job_limits = jsonb_strip_nulls(job_limits || $${first + set.values.length})`)
    set.values.push(json)
  }
  return set
}
