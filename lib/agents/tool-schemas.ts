import { z } from 'zod'
import { clusterStatusSchema, nodeStates } from '../contract/cluster'
import { count, label, seconds, shellCommand, variables } from '../contract/config/values'
import { idSchema } from '../contract/jobs'
import { queueStatuses } from '../contract/queue'
import { uploadStatuses } from '../contract/status'
import { gpuCounts } from './job-shape'

/** What agents' tools take and answer. Models read the descriptions, so they say what no client could guess. */

const jobId = z.string().describe('the id that CreateGPUJob returned')
const time = z.string().describe('RFC 3339, UTC')

const workingDirectory = z
  .string()
  .nullable()
  .describe('the shared directory that the command starts in; null: an empty one of the job’s own')

export const createJobSchema = z.strictObject({
  name: label(200).describe('a name to find the job by, such as "bert-finetuning-v1"'),
  gpu_count: z
    .literal(gpuCounts, { error: 'must be 1, 2, 4 or 8' })
    .describe('GPUs on each instance: 1, 2, 4 or 8. With more than one instance it is always 8'),
  instance_count: count(1, 8)
    .default(1)
    .describe('machines that run the job together, 1 to 8. Up to 8 GPUs in all must use 1'),
  command: shellCommand.describe(
    'what /bin/sh runs, with absolute paths only: sh /workspace/train.sh --epochs 10',
  ),
  project_id: idSchema.optional().describe('the project that the job belongs to; "default" if left out'),
  environment: idSchema
    .optional()
    .describe('the image that the job runs in, one that ViewGPUCluster names; the default one if left out'),
  expected_time: seconds.optional().describe('how long the job will take, in seconds; for forecasts'),
  max_time: seconds.optional().describe('seconds after which the job is stopped'),
  gpu_memory_gb: z.number().positive().max(1024).optional().describe('memory that each GPU must have'),
  priority: count(-100, 100).optional().describe('a higher number goes first; 0 if left out'),
  env: variables.optional().describe('environment variables for the job'),
  idempotency_key: z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters without spaces')
    .optional()
    .describe(
      'the same key with the same job is the same job: makes it safe to try again after a lost answer',
    ),
})

export const createdJobSchema = z.object({
  job_id: z.string().describe('for ViewGPUJob, ReadGPUJobLog and StopGPUJob'),
  status: z.enum(queueStatuses),
  name: z.string(),
  gpu_count: z.number().int().describe('on each instance, as the job got it'),
  instance_count: z.number().int(),
  repeated: z.boolean().describe('true: the idempotency_key named this older job, and nothing was created'),
  warnings: z.array(z.string()).describe('what was changed in what was asked for'),
  working_directory: workingDirectory,
  url: z.string().describe('the page of the job, for people'),
})

export const jobIdSchema = z.strictObject({ job_id: jobId })

export const agentJobSchema = z.object({
  job_id: z.string(),
  name: z.string().nullable(),
  status: z.enum(queueStatuses).describe('the last three are final'),
  reason: z.string().nullable().describe('why it is in that status'),
  reason_text: z.string().nullable().describe('the reason in words'),
  exit_code: z.number().int().nullable(),
  command: z.string().nullable(),
  project_id: z.string(),
  environment: z.string(),
  gpu_count: z.number().int().describe('on each instance'),
  instance_count: z.number().int(),
  priority: z.number().int(),
  position: z.number().int().nullable().describe('its place in the queue; 1 starts next'),
  expected_start: time.nullable(),
  submitted_at: time,
  started_at: time.nullable(),
  ended_at: time.nullable(),
  max_time: z.number().describe('seconds after which it is stopped'),
  attempt: z.number().int().describe('1 at first, more after faults of the system'),
  instances: z
    .array(z.object({ rank: z.number().int(), node: z.string(), gpus: z.array(z.string()) }))
    .describe('where it runs or ran'),
  working_directory: workingDirectory,
  stopping: z.boolean().describe('true: it was told to stop and has not ended yet'),
  url: z.string(),
})

export const listJobsSchema = z.strictObject({
  status: z
    .enum(uploadStatuses, { error: `must be one of ${uploadStatuses.join(', ')}` })
    .optional()
    .describe('pending is every job that has not started'),
  project_id: idSchema.optional(),
  limit: count(1, 200).default(20),
  cursor: z.string().max(200).optional().describe('next_cursor of the answer before'),
})

export const listedJobsSchema = z.object({
  jobs: z.array(
    z.object({
      job_id: z.string(),
      name: z.string().nullable(),
      status: z.enum(uploadStatuses),
      reason: z.string().nullable(),
      project_id: z.string(),
      exit_code: z.number().int().nullable(),
      submitted_at: time,
      started_at: time.nullable(),
      ended_at: time.nullable(),
    }),
  ),
  next_cursor: z.string().nullable().describe('null: these were the last'),
})

export const readLogSchema = z.strictObject({
  job_id: jobId,
  offset: z
    .int('must be a whole number')
    .gte(0, 'must be at least 0')
    .default(0)
    .describe('bytes of output to pass over: 0 at first, then next_offset of the answer before'),
  limit: count(4, 1_048_576).default(16_384).describe('bytes to return at most'),
  attempt: z
    .int('must be a whole number')
    .gte(0, 'must be at least 0')
    .optional()
    .describe('attempt of the answer before: then a new attempt is read from its beginning'),
  rank: count(0, 7)
    .default(0)
    .describe('whose output, of a job on several instances; each has its own offsets'),
})

export const logPartSchema = z.object({
  text: z.string().describe('standard output and standard error, in the order they came'),
  next_offset: z.number().int(),
  ended: z.boolean().describe('true: the job has ended, and this was the last of its output'),
  attempt: z.number().int(),
  warnings: z.array(z.string()),
})

export const nothingSchema = z.strictObject({})

export const agentClusterSchema = z.object({
  ...clusterStatusSchema.shape,
  queued_jobs: z.number().int(),
  running_jobs: z.number().int(),
  nodes: z.array(
    z.object({
      name: z.string(),
      state: z.enum(nodeStates),
      reason: z.string().nullable(),
      simulated: z.boolean().describe('true: its GPUs are nobody’s, and compute nothing'),
      gpu_models: z.array(z.string()),
      gpu_memory_gb: z.number().nullable().describe('of its smallest GPU'),
      gpus: z.number().int(),
      free_gpus: z.number().int().describe('wholly free ones that can be given out'),
    }),
  ),
  environments: z.array(
    z.object({ name: z.string(), description: z.string().nullable(), is_default: z.boolean() }),
  ),
})

export type CreateJob = z.output<typeof createJobSchema>
export type CreatedJob = z.output<typeof createdJobSchema>
export type AgentJob = z.output<typeof agentJobSchema>
export type ListJobs = z.output<typeof listJobsSchema>
export type ListedJobs = z.output<typeof listedJobsSchema>
export type ReadLog = z.output<typeof readLogSchema>
export type AgentCluster = z.output<typeof agentClusterSchema>
