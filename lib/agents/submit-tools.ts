import type { Actor } from '../access/actor'
import { defaultProject } from '../contract/access/project-kinds'
import { GpuqError } from '../contract/errors'
import { parseInput } from '../contract/parse-input'
import { queueSubmitSchema } from '../contract/queue'
import { database } from '../database/client'
import { acceptGroup } from '../groups/accept-group'
import { checkGroup } from '../groups/check-group'
import { groupKeyNames } from '../groups/contract'
import { toGroupRequest } from '../groups/group-config'
import { listMembers, readGroup } from '../groups/groups'
import { readQueueJob } from '../queue/list'
import { submitToQueue, tryForQueue } from '../queue/submit'
import { hintCommand } from './command-hints'
import { decideShape } from './job-shape'
import { pageOf, startDirectory } from './job-tools'
import { roundNumber } from './round-number'
import type { ToolCall } from './tool-call'
import {
  type CheckJob,
  type CreateJob,
  checkJobSchema,
  type PreviewJobs,
  type SubmitJobs,
} from './tool-schemas'
import { viewBudget } from './view-budget'

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
    warnings: [...(await warnApproval(actor, jobId)), ...shape.warnings, ...hints],
    ...(projectNote === undefined ? {} : { project_note: projectNote }),
    working_directory: await startDirectory(jobId),
    url: pageOf(origin, jobId),
  }
}

/** Says that a job or a group of an agent waits for an approval. */
async function warnApproval({ restriction }: Actor, id: string): Promise<string[]> {
  if (!restriction?.agent) return []
  const { rowCount } = await database().pool.query('SELECT 1 FROM approval_requests WHERE id = $1', [id])
  return rowCount === 0
    ? []
    : [
        'It waits until a person approves what it may cost, on its page. Tell them, and do not submit it again.',
      ]
}

/** Submits a group of jobs in one request: all of them or none. @throws 422 with the correction; 429 if a limit is exceeded. */
export async function submitJobs({ actor, origin }: ToolCall, { idempotency_key, ...input }: SubmitJobs) {
  const { shape, request } = toGroup(input, idempotency_key ?? null)
  const warnings = [...shape.warnings, ...(await hintGroup(actor, input))]
  const { id, repeated, hints } = await acceptGroup(actor, request).catch((error: unknown) => {
    throw withShape(error, shape.warnings)
  })
  const [group, { items }] = await Promise.all([
    readGroup(actor, id),
    listMembers(actor, id, { limit: listedMembers }),
  ])
  return {
    group_id: id,
    members: group.members,
    job_ids: items.map(({ job_id }) => job_id),
    parallel: group.parallel,
    repeated,
    warnings: [...(await warnApproval(actor, id)), ...warnings, ...hints],
    next: 'WaitForGPUJobs with this group_id in ids, or with some of the job_ids. Then CompareGPUJobs with group_id.',
    url: `${origin}/groups/${id}`,
  }
}

/** Says what {@link createJob} or {@link submitJobs} would do, and stores nothing. @throws their errors. */
export async function previewJobs(call: ToolCall, input: PreviewJobs) {
  const makesGroup = groupKeyNames.some((key) => input[key] !== undefined)
  const preview = await (makesGroup
    ? previewGroup(call, input)
    : previewJob(call, parseInput(checkJobSchema, input)))
  const { budgets, summary } = await viewBudget(call)
  return { ...preview, ...(budgets.length > 0 && { budget: summary }) }
}

async function previewJob({ actor }: ToolCall, input: CheckJob) {
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
    max_gpu_hours: gpuHours(shape.gpuCount * input.instance_count, told.max_time),
    warnings: [...shape.warnings, ...hints],
    next: 'CreateGPUJob',
  }
}

/** The ids of more members cost an agent more than they help. */
const listedMembers = 20

const gpuHours = (gpus: number, seconds: number) => roundNumber((gpus * seconds) / 3600) ?? 0

async function previewGroup({ actor }: ToolCall, input: PreviewJobs) {
  const { shape, request } = toGroup(input, null)
  const warnings = await hintGroup(actor, input, input.working_directory !== undefined)
  const checked = await checkGroup(actor, request).catch((error: unknown) => {
    throw withShape(error, shape.warnings)
  })
  const { text, gpu_hours, hints, project_note, ...rest } = checked
  return {
    ...rest,
    summary: text,
    ...(project_note !== null && { project_note }),
    gpu_count: shape.gpuCount,
    instance_count: input.instance_count,
    max_gpu_hours: roundNumber(gpu_hours.most) ?? 0,
    warnings: [...shape.warnings, ...warnings, ...hints],
    next: 'SubmitGPUJobs',
  }
}

/** Expected time of a member for which the agent expects none: it is stopped after twice this time. */
const assumedDurationS = 3_600

function toGroup(
  { expected_time = assumedDurationS, project_id = defaultProject, ...given }: PreviewJobs,
  idempotencyKey: string | null,
) {
  const shape = decideShape(given.gpu_count, given.instance_count)
  const config = { ...given, gpu_count: shape.gpuCount, expected_time, project_id, competition_id: 'queue' }
  return { shape, request: toGroupRequest({ config }, idempotencyKey, []) }
}

async function hintGroup(
  actor: Actor,
  { command, ...input }: PreviewJobs,
  sendsDirectory = false,
): Promise<string[]> {
  return command === undefined ? [] : hintCommand(actor, { ...input, command, name: '', sendsDirectory })
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
