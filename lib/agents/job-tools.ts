import type { Actor } from '../access/actor'
import { workspaceOfJob } from '../access/users/workspace-user'
import { timeLimit } from '../async/time-limit'
import type { Diagnosis } from '../contract/diagnosis/diagnosis'
import { formatFix } from '../contract/diagnosis/fix'
import { placeOf, printDiagnosis } from '../contract/diagnosis/print-diagnosis'
import { GpuqError } from '../contract/errors'
import { parseInput } from '../contract/parse-input'
import { queueSubmitSchema } from '../contract/queue'
import { adviseNearest } from '../contract/submission/nearest'
import { database } from '../database/client'
import { oneRow } from '../database/transaction'
import { cancelJob } from '../jobs/lifecycle/cancel'
import { waitUntilFinal } from '../jobs/live/wait'
import { withDiagnosis } from '../jobs/read/diagnosis'
import { listJobs } from '../jobs/read/list'
import { readJob } from '../jobs/read/read'
import { readQueueJob } from '../queue/list'
import { submitToQueue, tryForQueue } from '../queue/submit'
import { OutputReader } from '../results/reading/output-reader'
import { hintCommand } from './command-hints'
import { decideShape } from './job-shape'
import { readLog } from './read-log'
import type { CheckJob, CreateJob, ListJobs, ReadLog } from './tool-schemas'

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
 * @throws 422 for an invalid request, with the correction; 409 for the name of a job that has not ended; 429 if a limit is
 * exceeded.
 */
export async function createJob({ actor, origin }: ToolCall, input: CreateJob) {
  const { idempotency_key, ...job } = input
  const { shape, submission } = toSubmission(job)
  const hints = await hintCommand(actor, input)
  const options = { uniqueName: true }
  const key = idempotency_key ?? null
  const { jobId, repeated, projectNote } = await submitToQueue(actor, submission, key, options).catch(
    (error: unknown) => {
      throw withShape(error, shape.warnings)
    },
  )
  return {
    job_id: jobId,
    status: repeated ? (await readQueueJob(actor, jobId)).status : 'queued',
    name: input.name,
    gpu_count: shape.gpuCount,
    instance_count: input.instance_count,
    repeated,
    warnings: [...shape.warnings, ...hints],
    ...(projectNote === undefined ? {} : { project_note: projectNote }),
    working_directory: await startDirectory(jobId),
    url: pageOf(origin, jobId),
  }
}

/** Says what {@link createJob} would do, and creates nothing. @throws its errors. */
export async function checkJob({ actor }: ToolCall, input: CheckJob) {
  const { shape, submission } = toSubmission(input)
  const hints = await hintCommand(actor, { ...input, sendsDirectory: input.working_directory !== undefined })
  const told = await tryForQueue(actor, submission, { uniqueName: true }).catch((error: unknown) => {
    throw withShape(error, shape.warnings)
  })
  const { text, ...rest } = told
  return {
    ...rest,
    summary: text,
    gpu_count: shape.gpuCount,
    instance_count: input.instance_count,
    warnings: [...shape.warnings, ...hints],
  }
}

/** The submission of a job that an agent describes, and how the shape of the job was changed. */
function toSubmission({ expected_time, ...job }: CheckJob) {
  const shape = decideShape(job.gpu_count, job.instance_count)
  const submission = parseInput(queueSubmitSchema, {
    ...job,
    estimated_duration_seconds: expected_time,
    gpu_count: shape.gpuCount,
  })
  return { shape, submission }
}

/** If a job never fits as the agent's request was changed, says how it was changed, and what to request instead. */
function withShape(error: unknown, warnings: readonly string[]): unknown {
  if (!(error instanceof GpuqError) || error.code !== 'never_fits' || warnings.length === 0) return error
  const advice = warnings.map((warning) => warning.replace('stop this job and ', ''))
  return new GpuqError(error.code, [error.message, ...advice].join(' '), { cause: error })
}

/** Reads one job with everything an agent needs. A job of another user and an unknown id give the same 404. */
export async function viewJob({ actor, origin, signal }: ToolCall, jobId: string) {
  const [read, queued] = await Promise.all([readJob(actor, jobId), readQueueJob(actor, jobId)])
  const job = await withDiagnosis(actor, new OutputReader(actor.userId, signal), read)
  const directory = await startDirectory(job.job_id)
  return {
    ...job,
    ...queued,
    ended_at: queued.completed_at,
    diagnosis: job.diagnosis && quoteCause(job.diagnosis),
    advice: job.diagnosis?.next_step ?? (adviseNearest(job.nearest).trim() || null),
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

/** The cause as one line, in which what the program printed is quoted, and last. */
function quoteCause({ cause, summary, error, place }: Diagnosis): string {
  const printed = error === null ? '' : ` Error (quoted data): > ${error}`
  return `${cause}: ${summary}${place === null ? '' : ` At ${placeOf(place)}.`}${printed}`
}

/** Says why a job failed, or cannot start, with everything that is known. */
export async function diagnoseJob({ actor, signal }: ToolCall, jobId: string) {
  const [read, { status }] = await Promise.all([readJob(actor, jobId), readQueueJob(actor, jobId)])
  const { diagnosis, job_id, reason_text } = await withDiagnosis(
    actor,
    new OutputReader(actor.userId, signal),
    read,
  )
  const { cause = null, fault = null, fix } = diagnosis ?? {}
  const text =
    diagnosis === null
      ? `The job is ${status}, and nothing is known to be wrong. ${reason_text ?? ''} ReadGPUJobLog reads its output.`
      : printDiagnosis(diagnosis)
  return { text, job_id, status, cause, fault, fix: fix ? formatFix(fix) : null }
}

/** Where the command starts: in its own directory, which has precedence, or in the shared directory of the project. */
async function startDirectory(jobId: string): Promise<string | null> {
  const { path, hasArchive } = await oneRow<{ path: string | null; hasArchive: boolean }>(database().pool, {
    name: 'start-directory',
    text: `SELECT spec->>'working_directory' AS path, spec ? 'archive' AS "hasArchive" FROM jobs WHERE id = $1`,
    values: [jobId],
  })
  return path ?? (hasArchive ? '/work' : workspaceOfJob(jobId))
}

/** Stops a waiting or running job. Does nothing if it has already been cancelled. */
export async function stopJob(call: ToolCall, jobId: string) {
  await cancelJob(call.actor, jobId)
  await waitUntilFinal(jobId, timeLimit(stopWithinMs, call.signal))
  return viewJob(call, jobId)
}

/** Lists the caller's own jobs, newest first. */
export async function listOwnJobs({ actor }: ToolCall, filters: ListJobs) {
  const { items, next } = await listJobs(actor, filters)
  const jobs = items.map((job) => ({ ...job, submitted_at: job.created_at, ended_at: job.completed_at }))
  return { jobs, next_cursor: next }
}

/** Reads a byte range of a job's output. */
export async function readJobLog(
  { actor, signal }: ToolCall,
  { job_id, offset, limit, attempt, rank }: ReadLog,
) {
  const part = await readLog(actor, job_id, { offset, limit, attempt: attempt ?? null, rank }, signal)
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
