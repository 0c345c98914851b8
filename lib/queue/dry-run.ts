import type { Actor } from '../access/actor'
import { readHardware } from '../cluster/overview/hardware'
import { forecastNew } from '../cluster/placement/forecast'
import type { DryRun } from '../contract/submission/dry-run'
import { externalEngine } from '../engine/external-engine'
import { env } from '../env'
import { describeToApprove } from '../jobs/config/agent-limits'
import { requestOf } from '../jobs/config/resource-request'
import { askedOf } from '../jobs/read/resources'
import type { JobRequest } from '../jobs/submission/check-request'
import { type TriedJob, tryJob } from '../jobs/submission/dry-run'
import { describeNewStart, toExpectedStart } from './expected-start'

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
  const wait = describeWait(job)
  const { spec } = job
  const expected =
    wait === null
      ? await forecastNew({ ...job, request: requestOf(spec, job.id), limitMs: job.timeLimitS * 1000 })
      : undefined
  const { expected_start, expected_start_text } = toExpectedStart(expected)
  const decider = expected_start === null && wait === null ? (externalEngine()?.says.start ?? null) : null
  const left = (limit: number | null, used: number) => (limit === null ? null : Math.max(0, limit - used))
  return {
    dry_run: true,
    text: [
      'gpuq would accept the job. Nothing was queued.',
      ...(wait === null ? [] : [wait]),
      ...(expected === undefined ? [] : [describeNewStart('It', expected)]),
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
    queue_position: expected?.position ?? null,
    expected_start,
    expected_start_text: wait ?? expected_start_text ?? decider,
    left: {
      submissions_this_minute: left(limits.submissionsPerMinute, counts.recent),
      active_jobs: left(limits.maxActiveJobs, counts.active),
      waiting_jobs: left(limits.job.max_waiting_jobs, counts.waiting),
      dependent_jobs: left(env().GPUQ_MAX_DEPENDENT_JOBS, counts.dependent),
    },
    hardware: await readHardware(),
  }
}

/** What the job would wait for before it may start, as a sentence; null: for nothing but GPUs. */
function describeWait({ waitDetail, hoursToApprove }: TriedJob): string | null {
  if (hoursToApprove !== null) return describeToApprove(hoursToApprove)
  return waitDetail && `It would wait for others. ${waitDetail}`
}
