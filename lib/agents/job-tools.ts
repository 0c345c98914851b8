import type { Actor } from '../access/actor'
import { workspaceOfJob } from '../access/users/workspace-user'
import { invalidField } from '../contract/errors'
import { queueSubmitSchema } from '../contract/queue'
import { cancelJob } from '../jobs/lifecycle/cancel'
import { waitUntilFinal } from '../jobs/live/wait'
import { listJobs } from '../jobs/read/list'
import { readJob } from '../jobs/read/read'
import { readQueueJob } from '../queue/list'
import { submitToQueue } from '../queue/submit'
import { checkAbsolutePaths } from './absolute-paths'
import { decideShape } from './job-shape'
import { readLog } from './read-log'
import type { CreateJob, ListJobs, ReadLog } from './tool-schemas'

/** The caller of a tool. */
export interface ToolCall {
  actor: Actor
  /** The address at which the agent reached gpuq. */
  origin: string
  signal: AbortSignal
}

/** Most jobs end within this time after SIGTERM, so that the response can show the final status. */
const stopWithinMs = 3_000

/**
 * Submits a command as a job and returns immediately.
 * @throws 422 for an invalid request, with the correction; 429 if a limit is exceeded.
 */
export async function createJob({ actor, origin }: ToolCall, input: CreateJob) {
  requireAbsolutePaths(input.command)
  const shape = decideShape(input.gpu_count, input.instance_count)
  if (!shape.ok) throw invalidField(shape.path, shape.message)
  const { idempotency_key, expected_time, ...job } = input
  const submission = queueSubmitSchema.parse({
    ...job,
    estimated_duration_seconds: expected_time,
    gpu_count: shape.gpuCount,
    instance_count: shape.instanceCount,
  })
  const { jobId, repeated } = await submitToQueue(actor, submission, idempotency_key ?? null)
  return {
    job_id: jobId,
    status: repeated ? (await readQueueJob(actor, jobId)).status : 'queued',
    name: input.name,
    gpu_count: shape.gpuCount,
    instance_count: shape.instanceCount,
    repeated,
    warnings: shape.warnings,
    working_directory: await startDirectory(jobId, input.archive !== undefined),
    url: pageOf(origin, jobId),
  }
}

function requireAbsolutePaths(command: string): void {
  const verdict = checkAbsolutePaths(command)
  if (verdict.ok) return
  const message =
    verdict.word === null
      ? verdict.message
      : `"${verdict.word.slice(0, 200)}": ${verdict.message}. The command runs on another machine: use the absolute path, as in sh /workspace/train.sh. If this is not a path, move it into the script`
  throw invalidField('command', message)
}

/** Reads one job with everything an agent needs. A job of another user and an unknown id give the same 404. */
export async function viewJob({ actor, origin }: ToolCall, jobId: string) {
  const [job, queued] = await Promise.all([readJob(actor, jobId), readQueueJob(actor, jobId)])
  const directory = await startDirectory(job.job_id, job.archive !== null)
  return {
    ...job,
    ...queued,
    ended_at: queued.completed_at,
    instances: job.resources.got.map(({ rank, node, gpus }) => ({
      rank,
      node,
      gpus: gpus.map(({ index, model }) => `${index}: ${model}`),
    })),
    working_directory: directory,
    project_id: job.project_id,
    stopping: job.cancel_requested,
    url: pageOf(origin, job.job_id),
  }
}

/** Where the command starts: in the uploaded directory, which has precedence, or in the shared directory of the project. */
async function startDirectory(jobId: string, hasArchive: boolean): Promise<string | null> {
  return hasArchive ? '/work' : workspaceOfJob(jobId)
}

/** Stops a waiting or running job. Does nothing if it has already been cancelled. */
export async function stopJob(call: ToolCall, jobId: string) {
  await cancelJob(call.actor, jobId)
  await waitUntilFinal(jobId, AbortSignal.any([call.signal, AbortSignal.timeout(stopWithinMs)]))
  return viewJob(call, jobId)
}

/** Lists the caller's own jobs, newest first. */
export async function listOwnJobs({ actor }: ToolCall, filters: ListJobs) {
  const { items, next } = await listJobs(actor, filters)
  const jobs = items.map((job) => ({ ...job, submitted_at: job.created_at, ended_at: job.completed_at }))
  return { jobs, next_cursor: next }
}

/** Reads a byte range of a job's output. */
export async function readJobLog({ actor }: ToolCall, { job_id, offset, limit, attempt, rank }: ReadLog) {
  const part = await readLog(actor, job_id, { offset, limit, attempt: attempt ?? null, rank })
  return {
    text: part.text,
    next_offset: part.nextOffset,
    ended: part.ended,
    attempt: part.attempt,
    warnings: part.restarted
      ? [`Attempt ${attempt} has ended. This is the output of attempt ${part.attempt}, from its beginning.`]
      : [],
  }
}

const pageOf = (origin: string, jobId: string) => `${origin}/jobs/${jobId}`
