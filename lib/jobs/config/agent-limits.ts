import type { JobEnvironment } from '../../access/environments'
import { describeGpuHours } from '../../contract/access/gpu-hours'
import type { JobLimits } from '../../contract/access/limits'
import { keysRefusedToAgents, type Restriction } from '../../contract/access/restriction'
import { type JobConfig, ownAttempts, timeLimitSeconds } from '../../contract/config/config'
import { type FieldError, GpuqError, invalidField } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'
import { holdForApproval } from '../state/hold'
import { timeCeilingS, withAssumedTime } from '../submission/job-limits'

const askPerson = 'The person who made the token can make one with another limit.'

/** Refuses the config keys that jobs of an agent may not have. @throws 422 that names each. */
export function refuseAgentKeys(config: JobConfig, restriction: Restriction | null): void {
  if (!restriction?.agent) return
  const message = 'is not for the jobs of an agent: remove this key'
  const given = keysRefusedToAgents.filter((key) => config[key] !== undefined && config[key] !== false)
  refuseAll(given.map((path) => ({ path, message })))
}

/** @throws 422 for a project whose jobs see a directory that others share with its user. */
export function refuseSharedDirectory(path: string, restriction: Restriction | null): void {
  if (!restriction?.agent) return
  const message = `has the shared directory ${path}, which the jobs of an agent do not get: use another project`
  throw invalidField('project_id', message)
}

/** The limits of the owner, where the token of an agent has no stricter one. */
export function withAgentLimits(limits: JobLimits, restriction: Restriction | null): JobLimits {
  const { max_priority, max_time } = restriction?.agent?.limits ?? {}
  return {
    ...limits,
    max_priority: lower(limits.max_priority, max_priority),
    max_time: lower(limits.max_time, max_time),
  }
}

function lower(one: number | null, other: number | null = null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.min(one, other)
}

/** Checks a job against the limits of the token of an agent. @throws 422 that names the keys and the limits. */
export function requireWithinAgentLimits(
  config: JobConfig,
  { name }: Pick<JobEnvironment, 'name'>,
  restriction: Restriction | null,
): void {
  if (!restriction?.agent) return
  const { environments, max_priority, max_time, max_gpus } = restriction.agent.limits
  const { gpu_count, gpu_fraction = 1, instance_count } = config
  const atMost = (path: keyof JobConfig, asked: number | undefined, limit: number | null) =>
    limit === null || asked === undefined || asked <= limit
      ? []
      : [{ path, message: `must be at most ${limit}, which is a limit of this token. ${askPerson}` }]
  refuseAll([
    ...(environments === null || environments.includes(name)
      ? []
      : [
          {
            path: 'environment',
            message: `must be one of ${environments.join(', ')}, which this token may use. ${askPerson}`,
          },
        ]),
    ...atMost('priority', config.priority, max_priority),
    ...atMost('expected_time', config.expected_time, max_time),
    ...atMost('max_time', config.max_time, max_time),
    ...atMost(
      gpu_fraction < 1 ? 'gpu_fraction' : 'gpu_count',
      gpu_count * gpu_fraction * instance_count,
      max_gpus,
    ),
  ])
}

/** The most GPU hours that a job can cost, if a person must approve them for the token of an agent; null: nobody must. */
export function hoursToApprove(
  submission: { config: JobConfig; timeAssumed?: boolean },
  limits: JobLimits,
  restriction: Restriction | null,
): number | null {
  const within = withAgentLimits(limits, restriction)
  const { config } = withAssumedTime(submission, within)
  const { gpu_count, gpu_fraction = 1, instance_count } = config
  const gpus = gpu_count * gpu_fraction * instance_count
  const seconds = timeLimitSeconds(config, timeCeilingS(within)) * ownAttempts(config)
  return aboveAsked((gpus * seconds) / 3600, restriction)
}

/** The GPU hours, if they are more than the token of an agent may use without asking; null: they are not. */
export function aboveAsked(gpuHours: number, restriction: Restriction | null): number | null {
  const above = restriction?.agent?.limits.ask_above_gpu_hours ?? null
  return above !== null && gpuHours > above ? gpuHours : null
}

/** What a dry run says of hours that a person must approve. */
export const describeToApprove = (gpuHours: number) =>
  `A person must approve it before it starts, because it may cost ${describeGpuHours(Number(gpuHours.toPrecision(3)))}.`

/** Asks a person to approve a job or a group, which must not start before. */
export async function requestApproval(
  tx: Transaction,
  {
    jobId = null,
    groupId = null,
    gpuHours,
  }: { jobId?: string | null; groupId?: string | null; gpuHours: number },
): Promise<void> {
  await tx.query(
    'INSERT INTO approval_requests (id, job_id, group_id, gpu_hours) VALUES (coalesce($1::uuid, $2::uuid), $1, $2, $3)',
    [jobId, groupId, gpuHours],
  )
  if (jobId !== null) await holdForApproval(tx, jobId)
}

function refuseAll(errors: readonly FieldError[]): void {
  const [first] = errors
  if (first) throw new GpuqError('invalid_fields', `${first.path}: ${first.message}`, { errors: [...errors] })
}
