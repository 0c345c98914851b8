import { z } from 'zod'
import { uploadStatuses } from './status'

/** Ids that people choose: competitions, projects, handles. The same rule everywhere. */
export const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
export const idSchema = z
  .string()
  .regex(
    idPattern,
    'use 1 to 64 letters, digits, dots, dashes or underscores, starting with a letter or digit',
  )

/** A client's key that makes a repeated submission the same job. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters without spaces')

const time = z.string().describe('RFC 3339, UTC')

export const gpuOfJobSchema = z.object({
  uuid: z.string(),
  index: z.number().int().describe('its number on the node'),
  model: z.string(),
  simulated: z.boolean(),
  milli: z.number().int().describe('thousandths of the GPU held; 1000 is the whole GPU'),
})

/** One row of `GET /api/jobs`. */
export const jobSummarySchema = z.object({
  job_id: z.string(),
  name: z.string().nullable(),
  status: z.enum(uploadStatuses),
  reason: z.string().nullable().describe('why the job is in that status'),
  user_id: z.string(),
  competition_id: z.string(),
  project_id: z.string(),
  environment: z.string(),
  node_id: z.number().int().nullable(),
  exit_code: z.number().int().nullable(),
  expected_time: z.number().describe('seconds'),
  terminal: z.boolean().describe('people can attach to it and type, while it runs'),
  created_at: time,
  started_at: time.nullable(),
  completed_at: time.nullable(),
})

/** What one instance of a job holds or held on its node. */
export const jobInstanceSchema = z.object({
  rank: z.number().int(),
  node: z.string(),
  gpus: z.array(
    z.object({
      gpu_id: z.string(),
      index: z.number().int(),
      model: z.string(),
      simulated: z.boolean(),
      memory_mib: z.number().int().describe('of the whole GPU'),
      share: z.number().describe('the part of the GPU held; 1 is the whole GPU'),
    }),
  ),
  cpu_milli: z.number().int(),
  memory_mib: z.number().int(),
})

/** What a job asked for, what its last attempt got, and how it used that. */
export const jobResourcesSchema = z.object({
  asked: z.object({
    gpu_count: z.number().int(),
    gpu_fraction: z.number().nullable(),
    gpu_memory_gb: z.number().nullable(),
    gpu_model: z.string().nullable(),
    instance_count: z.number().int(),
    cpu: z.number().nullable().describe("cores; null: the node's share per GPU"),
    memory_gb: z.number().nullable().describe("null: the node's share per GPU"),
  }),
  got: z.array(jobInstanceSchema).describe('one for each instance; none before the job was placed'),
  used: z.object({
    gpu_load_mean: z.number().nullable().describe('part of 1 over all samples; null: nothing was sampled'),
    gpu_memory_peak_mib: z.number().nullable().describe('null: nothing was sampled'),
    cpu_cores_mean: z.number().nullable().describe('cores, of all instances; null: nothing was sampled'),
    memory_peak_mib: z.number().nullable().describe('of the fullest instance; null: nothing was sampled'),
  }),
})

/** Nodes that are brought up for one job alone. */
export const provisionSchema = z.object({
  status: z
    .enum(['starting', 'up', 'ending', 'ended'])
    .describe('being brought up, there, being taken down, gone'),
  problem: z.string().nullable().describe('why they could not be brought up'),
  output: z.string().describe("the end of what the admin's commands have printed"),
})

/** Whether the config's `notify_url` was told that the job ended. */
export const noticeSchema = z.object({
  state: z
    .enum(['waiting', 'trying', 'told', 'given_up'])
    .describe('for the end of the job, to be told, it was, it will not be'),
  attempts: z.number().int(),
  problem: z.string().nullable().describe('what went wrong the last time'),
  next_try_at: z.string().nullable().describe('while it is tried'),
  settled_at: z.string().nullable().describe('when it was told or given up'),
})

/** `GET /api/status/ID`. */
export const jobDetailSchema = jobSummarySchema.extend({
  reason_text: z.string().nullable().describe('the reason in words'),
  placed: z.boolean().describe('a node was chosen; true while the job is being started'),
  attempt: z.number().int(),
  max_retries: z.number().int(),
  max_time: z.number().describe('seconds until the job is stopped'),
  node_name: z.string().nullable(),
  gpus: z.array(gpuOfJobSchema).describe('in the order in which the container numbers them from 0'),
  resources: jobResourcesSchema,
  cancel_requested: z.boolean(),
  result_file: z.string().nullable(),
  deleted_after_days: z
    .number()
    .int()
    .nullable()
    .describe(
      "null: nothing was deleted; else the project's retention, after which result and artifacts were",
    ),
  output_bytes: z.number().int(),
  tags: z.array(z.string()),
  command: z.string().nullable().describe('what a shell runs; null: the uploaded solution.py'),
  run_id: z.string().nullable().describe('of the queue API'),
  run_name: z.string().nullable().describe('what one live job of its project is called at a time'),
  archive: z
    .object({ files: z.number().int(), bytes: z.number().int() })
    .nullable()
    .describe('the directory that came with it'),
  priority: z.number().int(),
  provision: provisionSchema
    .nullable()
    .describe('nodes brought up for this job alone; null: it asked for none'),
  notice: noticeSchema.nullable().describe('whether its `notify_url` was told of its end; null: it has none'),
})

/** What one task of a job over several nodes printed. */
export const rankResultSchema = z.object({
  rank: z.number().int(),
  stdout: z.string(),
  stderr: z.string(),
  results: z.array(z.unknown()),
  truncated: z.boolean(),
})

/** `GET /api/results/ID`. */
export const jobResultSchema = z.object({
  job_id: z.string(),
  status: z.enum(uploadStatuses),
  reason: z.string().nullable(),
  reason_text: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.number().int().nullable(),
  results: z.array(z.unknown()).describe('stdout lines that are JSON objects or arrays'),
  result_file: z.string().nullable(),
  truncated: z
    .boolean()
    .describe('true when stdout, stderr or results were cut; download the file for all of it'),
  ranks: z
    .array(rankResultSchema)
    .optional()
    .describe(
      'of a job over several nodes, what each printed; stdout, stderr and results beside it are of rank 0',
    ),
})

/** The answer of `POST /api/submit`. */
export const submitResultSchema = jobResultSchema.extend({
  deduplicated: z
    .boolean()
    .optional()
    .describe('true: an older job of the same content took its place, as ?deduplicate=true asked'),
})

/** `GET /api/jobs/ID/source`: what was submitted, without the token. */
export const jobSourceSchema = z.object({
  code: z.string().describe('solution.py; empty for a job that is a command'),
  config: z.string().describe('config.yaml, with the command of a job that is one'),
  command: z.string().nullable().describe('what a shell runs; null: solution.py'),
})

/** Filters of `GET /api/jobs`, as query parameters. */
export const jobFiltersSchema = z.object({
  user_id: idSchema.optional().describe("another user's jobs: admins only"),
  all: z.stringbool().optional().describe("every user's jobs: admins only"),
  status: z.enum(uploadStatuses).optional(),
  competition_id: idSchema.optional(),
  project_id: idSchema.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional().describe('from the Link header of the page before'),
})

/** Query of the routes about one job. */
export const jobQuerySchema = z.object({
  user_id: z.string().optional().describe('must be yours, unless you are an admin'),
})

/** Query of the routes about a job's terminal. */
export const terminalQuerySchema = z.object({
  rank: z.coerce.number().int().min(0).max(7).default(0).describe('which task of a job over several nodes'),
})

/** `POST /api/jobs/ID/terminal/size`. */
export const terminalSizeSchema = z.strictObject({
  columns: z.number().int().min(1).max(1000),
  rows: z.number().int().min(1).max(1000),
})

/** Query of `GET /api/jobs/ID/events`. */
export const eventsQuerySchema = z.object({
  tail: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('begin so many bytes of records before the end, or a little more'),
})

export const resultQuerySchema = jobQuerySchema.extend({
  format: z.enum(['json', 'jsonl', 'text']).default('json').describe('jsonl and text are downloads'),
})

export type JobSummary = z.infer<typeof jobSummarySchema>
export type JobDetail = z.infer<typeof jobDetailSchema>
export type JobProvision = z.infer<typeof provisionSchema>
export type JobNotice = z.infer<typeof noticeSchema>
export type JobResources = z.infer<typeof jobResourcesSchema>
export type TerminalSize = z.infer<typeof terminalSizeSchema>
export type JobResult = z.infer<typeof jobResultSchema>
export type RankResult = z.infer<typeof rankResultSchema>
export type JobSource = z.infer<typeof jobSourceSchema>
export type JobFilters = z.infer<typeof jobFiltersSchema>
