import type { JobLimits } from '../../contract/access/limits'
import type { JobConfig } from '../../contract/config/config'
import { longestTimeS } from '../../contract/config/durations'
import type { Pool } from '../../contract/config/pools'
import { type FieldError, GpuqError } from '../../contract/errors'
import { env } from '../../env'

/** The end of every message about a limit. */
export const askAdmin = 'An admin can change this limit for you, your project or your role.'

/**
 * Checks what a job asks for against the limits that apply to it. Every error names the key, the limit and its value.
 * @throws 422.
 */
export function requireWithinJobLimits(config: JobConfig, limits: JobLimits): void {
  const errors = [
    atMost('priority', config.priority, 'max_priority', limits.max_priority),
    ...timeErrors(config, limits.max_time),
    poolError(config.pool, limits.pools),
    ...resourceErrors(config, limits),
  ].filter((error) => error !== null)
  const [first] = errors
  if (first) throw new GpuqError('invalid_fields', `${first.path}: ${first.message}`, { errors })
}

/** The same for a changed priority. A priority above the limit, set by an admin, may be lowered in steps. */
export function requirePriorityWithinLimits(to: number, from: number, limits: JobLimits): void {
  const error = to <= from ? null : atMost('priority', to, 'max_priority', limits.max_priority)
  if (error) throw new GpuqError('invalid_fields', `${error.path}: ${error.message}`, { errors: [error] })
}

function atMost(
  path: string,
  asked: number | undefined,
  name: keyof JobLimits,
  limit: number | null,
): FieldError | null {
  if (limit === null || asked === undefined || asked <= limit) return null
  return { path, message: `must be at most ${limit}, which is your limit ${name}. ${askAdmin}` }
}

function timeErrors({ expected_time, max_time }: JobConfig, limit: number | null) {
  return [
    atMost('expected_time', expected_time, 'max_time', limit),
    atMost('max_time', max_time, 'max_time', limit),
  ]
}

function poolError(pool: Pool, allowed: readonly Pool[] | null): FieldError | null {
  if (allowed === null || allowed.includes(pool)) return null
  const names = allowed.map((name) => `"${name}"`).join(' or ')
  return { path: 'pool', message: `must be ${names}, which is your limit pools. ${askAdmin}` }
}

/** A job with GPUs gets its share of the node's cores and memory; the number of its GPUs limits it. */
function resourceErrors(config: JobConfig, limits: JobLimits) {
  const { gpu_count, gpu_fraction = 1, instance_count: instances, cpu, memory_gb } = config
  if (gpu_count > 0) {
    const gpus = gpu_count * gpu_fraction * instances
    const { max_gpus, max_concurrent_gpus } = limits
    const isLower = (max_concurrent_gpus ?? Number.POSITIVE_INFINITY) < (max_gpus ?? Number.POSITIVE_INFINITY)
    const name = isLower ? 'max_concurrent_gpus' : 'max_gpus'
    return [atMost(gpu_fraction < 1 ? 'gpu_fraction' : 'gpu_count', gpus, name, limits[name])]
  }
  return [
    atMost('cpu', cpu === undefined ? undefined : cpu * instances, 'max_cpu', limits.max_cpu),
    atMost(
      'memory_gb',
      memory_gb === undefined ? undefined : memory_gb * instances,
      'max_memory_gb',
      limits.max_memory_gb,
    ),
  ]
}

/** Maximum run time of a job in seconds. */
export function timeCeilingS({ max_time }: Pick<JobLimits, 'max_time'>): number {
  return Math.min(env().GPUQ_MAX_TIME_S, max_time ?? Number.POSITIVE_INFINITY)
}

/** Gives a job the maximum time that its limits permit, if its request gives no time, or no time limit of its own. */
export function withAssumedTime<Given extends { config: JobConfig; timeAssumed?: boolean }>(
  submission: Given,
  limits: JobLimits,
): Given {
  const { config, timeAssumed } = submission
  if (!timeAssumed && (config.max_time ?? 0) < longestTimeS) return submission
  const max_time = timeCeilingS(limits)
  return {
    ...submission,
    config: { ...config, expected_time: Math.min(config.expected_time, max_time), max_time },
  }
}
