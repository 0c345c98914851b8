import { workspaceOfJob } from '../access/users/workspace-user'
import { timeLimit } from '../async/time-limit'
import { formatFix } from '../contract/diagnosis/fix'
import { printDiagnosis } from '../contract/diagnosis/print-diagnosis'
import { invalidField } from '../contract/errors'
import { adviseNearest } from '../contract/submission/nearest'
import { database } from '../database/client'
import { oneRow } from '../database/transaction'
import { cancelGroup } from '../groups/cancel-group'
import { listGroups } from '../groups/groups'
import { cancelJob } from '../jobs/lifecycle/cancel'
import { waitUntilFinal } from '../jobs/live/wait'
import { withDiagnosis } from '../jobs/read/diagnosis'
import { listJobs } from '../jobs/read/list'
import { readJob } from '../jobs/read/read'
import { readQueueJob } from '../queue/list'
import { OutputReader } from '../results/reading/output-reader'
import { viewGroup, viewMember, viewMembers, withoutZeros } from './group-answers'
import { quoteCause } from './quote-cause'
import { readLog } from './read-log'
import { searchLog } from './search-log'
import { findTarget, requireJob } from './targets'
import type { ToolCall } from './tool-call'
import type { ListJobs, ReadLog } from './tool-schemas'

/** Most jobs end within this time after SIGTERM, so that the response can show the final status. */
const stopWithinMs = 3_000

/** Reads a job or a group with everything an agent needs. A job of another user and an unknown id give the same 404. */
export async function viewJob(call: ToolCall, id: string) {
  const target = await findTarget(call.actor, id)
  if (target?.kind === 'group') return { group: await viewGroup(call, id) }
  return target?.kind === 'member' ? viewMember(call, id) : viewOneJob(call, id)
}

async function viewOneJob({ actor, origin, signal }: ToolCall, jobId: string) {
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

/** Says why a job failed, or cannot start, with everything that is known. */
export async function diagnoseJob({ actor, signal }: ToolCall, jobId: string) {
  await requireJob(actor, jobId)
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
export async function startDirectory(jobId: string): Promise<string | null> {
  const { path, hasArchive } = await oneRow<{ path: string | null; hasArchive: boolean }>(database().pool, {
    name: 'start-directory',
    text: `SELECT spec->>'working_directory' AS path, spec ? 'archive' AS "hasArchive" FROM jobs WHERE id = $1`,
    values: [jobId],
  })
  return path ?? (hasArchive ? '/work' : workspaceOfJob(jobId))
}

/** Stops a waiting or running job, or a group with all its members. Does nothing if it has already been cancelled. */
export async function stopJob(call: ToolCall, id: string) {
  const target = await findTarget(call.actor, id)
  if (target?.kind === 'group') await cancelGroup(call.actor, id)
  else {
    if (target?.kind === 'member')
      throw invalidField(
        'job_id',
        'the job has not entered the queue. StopGPUJob with its group_id, which ViewGPUJob shows, stops the whole group.',
      )
    await cancelJob(call.actor, id)
    await waitUntilFinal(id, timeLimit(stopWithinMs, call.signal))
  }
  return viewJob(call, id)
}

const listedGroups = 10

/** Lists the caller's own jobs and groups, newest first, or the members of a group. */
export async function listOwn(call: ToolCall, { group_id, ...filters }: ListJobs) {
  const { actor } = call
  if (group_id !== undefined) {
    const { members, next } = await viewMembers(call, group_id, filters)
    return { jobs: [], members, next_cursor: next }
  }
  const { items, next } = await listJobs(actor, filters)
  const jobs = items.map((job) => ({ ...job, submitted_at: job.created_at, ended_at: job.completed_at }))
  const { cursor, status } = filters
  const isFirst =
    cursor === undefined && (status === undefined || status === 'pending' || status === 'running')
  const groups = isFirst
    ? await listGroups(actor, { active: status !== undefined, limit: listedGroups })
    : { items: [] }
  return {
    jobs,
    ...(groups.items.length > 0 && {
      groups: groups.items.map((group) => ({ ...group, counts: withoutZeros(group.counts) })),
    }),
    next_cursor: next,
  }
}

const bytesPerToken = 4
/** Found lines are at most this much, unless the call says more. */
const tokensOfLines = 1_000

/** Reads a byte range of a job's output, or the lines that the call looks for. */
export async function readJobLog(call: ToolCall, input: ReadLog) {
  await requireJob(call.actor, input.job_id)
  const { tail, search, errors_only } = input
  return tail === undefined && search === undefined && !errors_only
    ? readRange(call, input)
    : findLines(call, input)
}

async function readRange(
  { actor, signal }: ToolCall,
  { job_id, offset, limit, attempt, rank, max_tokens = Number.POSITIVE_INFINITY }: ReadLog,
) {
  const most = Math.min(limit, bytesPerToken * max_tokens)
  const part = await readLog(actor, job_id, { offset, limit: most, attempt: attempt ?? null, rank }, signal)
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

async function findLines(
  { actor, signal }: ToolCall,
  { job_id, offset, limit, rank, tail, search, errors_only, max_tokens = tokensOfLines }: ReadLog,
) {
  if (offset > 0) throw invalidField('offset', 'is not for tail, search and errors_only: leave it out')
  const most = Math.min(limit, bytesPerToken * max_tokens)
  const wanted = { tail, search, errorsOnly: errors_only, limit: most, rank }
  const { text, leftOut, ended, attempt } = await searchLog(actor, job_id, wanted, signal)
  const isSearch = search !== undefined || errors_only
  const warnings =
    isSearch && text === ''
      ? ['No line was found. Text of libraries may differ: try errors_only, or tail.']
      : isSearch && leftOut > 0
        ? [`${leftOut} more lines were found. A narrower search, tail or max_tokens shows others.`]
        : []
  return { text, next_offset: null, ended, attempt, warnings }
}

export const pageOf = (origin: string, jobId: string) => `${origin}/jobs/${jobId}`
