import type { Actor } from '../access/actor'
import { readHardware } from '../cluster/overview/hardware'
import { forecastNew } from '../cluster/placement/forecast'
import type { DryRun } from '../contract/submission/dry-run'
import { externalEngine } from '../engine/external-engine'
import { env } from '../env'
import { requestOf } from '../jobs/config/resource-request'
import { askedOf } from '../jobs/read/resources'
import type { JobRequest } from '../jobs/submission/check-request'
import { type Tried, tryJob } from '../jobs/submission/dry-run'
import { toExpectedStart } from './expected-start'

/** A start within this time is shown as now. */
const soonMs = 10_000

/**
 * Says what a submission would do: what the job gets, when it is expected to start, and what the limits permit after it. Stores
 * nothing.
 * @throws the error of the submission.
 */
export async function dryRun(
  actor: Actor,
  request: JobRequest,
  options: Parameters<typeof tryJob>[2] = {},
): Promise<DryRun> {
  const tried = await tryJob(actor, request, options)
  const { job, limits, counts, projectNote } = tried
  const isDependent = job.waitsFor.length > 0
  const { spec } = job
  const expected = isDependent
    ? undefined
    : await forecastNew({ ...job, request: requestOf(spec, job.id), limitMs: job.timeLimitS * 1000 })
  const { expected_start, expected_start_text } = toExpectedStart(expected)
  const decider = expected_start === null && !isDependent ? whoDecides() : null
  const left = (limit: number | null, used: number) => (limit === null ? null : Math.max(0, limit - used))
  const position = expected?.position ?? null
  return {
    dry_run: true,
    text: [
      'gpuq would accept the job. Nothing was queued.',
      sentenceOf(tried, position, expected_start),
      ...(projectNote === null ? [] : [projectNote]),
    ].join(' '),
    project_id: job.project,
    project_note: projectNote,
    environment: job.environment,
    resources: {
      ...askedOf(spec),
      cpu: spec.cpu ?? null,
      memory_gb: spec.memory_gb ?? null,
      pool: spec.pool,
    },
    max_time: job.timeLimitS,
    waits_for: job.waitsFor,
    queue_position: position,
    expected_start,
    expected_start_text: expected_start_text ?? decider,
    left: {
      submissions_this_minute: left(limits.submissionsPerMinute, counts.recent),
      active_jobs: left(limits.maxActiveJobs, counts.active),
      waiting_jobs: left(limits.job.max_waiting_jobs, counts.waiting),
      dependent_jobs: left(env().GPUQ_MAX_DEPENDENT_JOBS, counts.dependent),
    },
    hardware: await readHardware(),
  }
}

/** That an external engine decides when the job starts; null: gpuq decides. */
const whoDecides = () => externalEngine()?.says.start ?? null

function sentenceOf({ job: { waitsFor } }: Tried, position: number | null, start: string | null): string {
  if (waitsFor.length > 0) {
    const jobs = waitsFor.length === 1 ? 'another job' : `${waitsFor.length} other jobs`
    return `It would wait for ${jobs} to complete.`
  }
  if (start !== null && Date.parse(start) - Date.now() < soonMs) return 'It would start now.'
  if (start !== null) return `It would be number ${position} in the queue, and start at about ${start}.`
  return whoDecides() ?? `It would be number ${position} in the queue; no start can be predicted now.`
}
