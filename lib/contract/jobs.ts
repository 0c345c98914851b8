import * as z from 'zod'
import { jobInSlurmSchema } from './cluster/engine'
import { jobResourcesSchema } from './cluster/job-resources'
import { conditions, slurmJob } from './config/depends-on'
import { idPattern } from './id-pattern'
import { jobBucketSchema } from './job-bucket'
import { type AddedField, addedFields } from './job-columns'
import { jobEnds } from './job-ends'
import { filesDeletion } from './job-files'
import { uploadStatuses } from './status'

export const idSchema = z
  .string()
  .regex(
    idPattern,
    'use 1 to 64 letters, digits, dots, dashes or underscores, and start with a letter or digit',
  )

/** A client's key that makes a repeated submission the same job. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters without spaces')

const time = z.string().describe('RFC 3339, UTC')

/** Whether an older job is the response to a submission. */
export const deduplicated = z
  .boolean()
  .optional()
  .describe('true: this is an older job with the same content, because of ?deduplicate=true')

/** What an answer to a submission says about its project. */
export const projectNote = z
  .string()
  .optional()
  .describe('says that the submission created a private project, because project_id named none')

export const gpuOfJobSchema = z.object({
  uuid: z.string(),
  index: z.int().describe('index on the node'),
  model: z.string(),
  simulated: z.boolean(),
  milli: z.int().describe('allocated thousandths of the GPU; 1000 is the whole GPU'),
})

/** The 10th and the 90th percentile of a start: 80 of 100 jobs start between these times. */
export const startRangeSchema = z.object({ earliest: time, latest: time })

const valueOfKind = { text: z.string(), number: z.number() }

/** The fields that the columns of the job list add. Answers of older servers lack them. */
const columnFields = Object.fromEntries(
  addedFields.map(({ field, kind, describe }) => [
    field,
    valueOfKind[kind].nullable().optional().describe(describe),
  ]),
) as Record<AddedField, z.ZodOptional<z.ZodNullable<z.ZodString | z.ZodNumber>>>

/** One row of `GET /api/jobs`. Columns of the job list add more fields (`job-columns.ts`). */
export const jobSummarySchema = z.object({
  job_id: z.uuid(),
  name: z.string().nullable(),
  status: z.enum(uploadStatuses),
  reason: z.string().nullable().describe('code of the reason for the status'),
  reason_text: z.string().nullable().optional().describe('the reason as text; absent in live events'),
  user_id: z.string(),
  user_name: z.string().nullable().describe("the user's name; null: the user has set none"),
  competition_id: z.string(),
  project_id: z.string(),
  environment: z.string(),
  node_id: z.int().nullable(),
  node_name: z.string().nullable().describe('node of the first task; null: the job waits'),
  exit_code: z.int().nullable(),
  expected_time: z.number().describe('seconds'),
  requested_gpus: z.number().default(0).describe('requested GPUs of all its instances'),
  tags: z.array(z.string()).default([]),
  starred: z.boolean().default(false),
  metrics: z
    .record(z.string(), z.number())
    .default({})
    .describe(
      'last number of each metric that the job printed, by name, as a 64-bit floating-point number; at most 64 metrics',
    ),
  ...columnFields,
  terminal: z.boolean().describe('true: users can attach to the job and type while it runs'),
  created_at: time,
  started_at: time.nullable(),
  completed_at: time.nullable(),
  queue_position: z
    .int()
    .nullable()
    .optional()
    .describe(
      '1 starts next; null: the job does not wait, cannot start, or has just arrived; absent in live events',
    ),
  expected_start: time
    .nullable()
    .optional()
    .describe('null: no start can be predicted, or the job does not wait; absent in live events'),
  expected_start_range: startRangeSchema
    .nullable()
    .optional()
    .describe('times between which 80 of 100 jobs start; null and absent as expected_start'),
  expected_start_text: z
    .string()
    .nullable()
    .optional()
    .describe('what expected_start rests on; null: it depends on no running job; absent as expected_start'),
})

/** A snapshot that a job mounts. */
export const jobMountSchema = z.object({
  path: z.string().describe('where the job finds it'),
  snapshot: z.string().describe('name and version, such as data/cifar10@1'),
})

/** Nodes that are started only for one job. */
export const provisionSchema = z.object({
  status: z
    .enum(['starting', 'up', 'ending', 'ended'])
    .describe('up: they run; ending: they are being stopped'),
  problem: z.string().nullable().describe('why they could not be started'),
  output: z.string().describe("end of the output of the admin's commands"),
})

/** Whether the job's `notify_url` has received the notification of its end. */
export const noticeSchema = z.object({
  state: z
    .enum(['waiting', 'retrying', 'delivered', 'failed'])
    .describe(
      'waiting: the job has not ended; retrying: gpuq sends it soon, for the first time or again; failed: gpuq does not try again',
    ),
  attempts: z.int(),
  problem: z.string().nullable().describe('error of the last attempt'),
  next_try_at: z.string().nullable().describe('time of the next attempt'),
  settled_at: z.string().nullable().describe('time of the delivery, or of the last attempt'),
})

/** How long gpuq predicts that a job runs. The scheduler and its forecasts use this instead of `expected_time`. */
export const predictedTimeSchema = z.object({
  seconds: z.number(),
  basis: z
    .enum(['same_program', 'same_user', 'all_jobs', 'estimate'])
    .describe(
      'earlier jobs with the same content or name; of the same user and project; of everybody; or only expected_time, because too few jobs have completed',
    ),
  jobs: z.int().describe('number of earlier jobs on which it is based'),
})

/** Which token submitted a job or a group. */
export const submittedWithSchema = z
  .object({ token_id: z.uuid(), name: z.string() })
  .nullable()
  .default(null)
  .describe('the token with which it was submitted; null: the website, or the token was deleted')

/** What a job or a group says about its place among the experiments. */
export const experimentFields = {
  parent: z
    .uuid()
    .nullable()
    .default(null)
    .describe('the job or group that it follows, as it was submitted; null: none'),
  hypothesis: z.string().nullable().default(null).describe('what it shall find out; null: nothing was said'),
  followers: z.int().default(0).describe('number of jobs and groups that follow it'),
}

/** `GET /api/status/ID`. */
export const jobDetailSchema = jobSummarySchema.extend({
  reason_text: z.string().nullable().describe('the reason as text'),
  placed: z.boolean().describe('true: the job has a node; it may not have started yet'),
  attempt: z.int(),
  max_retries: z.int(),
  max_time: z.number().describe('time limit in seconds'),
  predicted_time: predictedTimeSchema
    .nullable()
    .optional()
    .describe('null: the job has ended, or predictions are switched off; absent in live events'),
  gpus: z.array(gpuOfJobSchema).describe('in the order of their numbers in the container, from 0'),
  resources: jobResourcesSchema,
  cancel_requested: z.boolean(),
  result_file: z.string().nullable(),
  ...filesDeletion,
  output_bytes: z.int(),
  note: z.string().nullable().default(null).describe('text for people'),
  ...experimentFields,
  command: z.string().nullable().describe('shell command; null: the job runs a program'),
  run_id: z.string().nullable().describe('from the queue API'),
  submitted_with: submittedWithSchema,
  group_id: z.uuid().nullable().optional().describe('the group that it is a member of; null: none'),
  run_name: z.string().nullable().describe('name of its run; a run has one active job at a time'),
  archive: z
    .object({ hash: z.string(), files: z.int(), bytes: z.int() })
    .nullable()
    .describe('the uploaded directory of the job; null: none, or it was deleted'),
  snapshot: z.string().nullable().describe('the snapshot that the job uses, such as code@3'),
  mounts: z
    .array(jobMountSchema)
    .describe('snapshots that the job can read, in the versions that were the newest at the submission'),
  depends_on: z
    .array(
      z.object({
        job_id: z
          .union([z.uuid(), z.string().regex(slurmJob)])
          .nullable()
          .describe('an id, or slurm:1234 for a job that is only in Slurm; null: it is a group'),
        group_id: z.uuid().nullable().default(null).describe('null: it is a job'),
        when: z
          .enum(conditions)
          .default('ok')
          .describe('how it must end; ok: completed, and of a group each member that its rule did not stop'),
        name: z.string().nullable().describe('null: it has none, or belongs to another project'),
        status: z.enum(uploadStatuses).nullable().describe('null: gpuq does not know it'),
        members: z.int().nullable().default(null).describe('members of a group; null: it is a job'),
        ended: z.int().nullable().default(null).describe('members that have ended; null: it is a job'),
      }),
    )
    .default([])
    .describe('jobs and groups that must end before this job may start'),
  priority: z.int(),
  provision: provisionSchema
    .nullable()
    .describe('nodes that are started only for this job; null: none requested'),
  notice: noticeSchema.nullable().describe('delivery to `notify_url`; null: the job has none'),
  bucket: jobBucketSchema
    .nullable()
    .describe('the copy of its results and log in the bucket of its project; null: the project had none'),
  ...jobEnds,
  slurm: jobInSlurmSchema
    .nullable()
    .default(null)
    .describe('its last submission to Slurm; null: it was not submitted, or gpuq itself is the engine'),
})

/** The output of one task of a job on several nodes. */
export const rankResultSchema = z.object({
  rank: z.int(),
  stdout: z.string(),
  stderr: z.string(),
  results: z.array(z.unknown()),
  truncated: z.boolean(),
})

/** `GET /api/results/ID`. */
export const jobResultSchema = z.object({
  job_id: z.uuid(),
  status: z.enum(uploadStatuses),
  reason: z.string().nullable(),
  reason_text: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.int().nullable(),
  results: z
    .array(z.unknown())
    .describe(
      'stdout lines that are JSON objects or arrays, as they were printed; NaN, Infinity and -Infinity are texts',
    ),
  result_file: z.string().nullable(),
  truncated: z.boolean().describe('true: stdout, stderr or results are shortened; the file is complete'),
  ranks: z
    .array(rankResultSchema)
    .optional()
    .describe('output of each task of a job on several nodes; the fields beside it are of rank 0'),
})

/** The response of `POST /api/submit`. */
export const submitResultSchema = jobResultSchema.extend({
  deduplicated,
  project_note: projectNote,
  not_sent: z.string().optional().describe('names the empty directories of an uploaded archive'),
})

/** `GET /api/jobs/ID/source`: what was submitted, without the token. */
export const jobSourceSchema = z.object({
  code: z.string().describe('solution.py; empty if the job runs a command, or a file of its directory'),
  config: z.string().describe('config.yaml, with the command of the job'),
  command: z.string().nullable().describe('shell command; null: the job runs a program'),
})

export type JobSummary = z.infer<typeof jobSummarySchema>
export type JobDetail = z.infer<typeof jobDetailSchema>
export type JobProvision = z.infer<typeof provisionSchema>
export type StartRange = z.infer<typeof startRangeSchema>
export type PredictedTime = z.infer<typeof predictedTimeSchema>
export type JobNotice = z.infer<typeof noticeSchema>
export type JobResult = z.infer<typeof jobResultSchema>
export type RankResult = z.infer<typeof rankResultSchema>
export type JobSource = z.infer<typeof jobSourceSchema>
