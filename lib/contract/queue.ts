import { z } from 'zod'
import { queueJobSchema } from './cluster'
import { count, gpuFraction, label, seconds, shellCommand, variables } from './config/values'
import { idSchema } from './jobs'

/** What the queue API takes, and what it says of one job. */

/** `POST /queue/submit`. */
export const queueSubmitSchema = z
  .strictObject({
    run_id: label(200).optional().describe('your name for the run, shown in lists'),
    name: label(200).optional().describe('a name for lists; run_id if left out'),
    user: idSchema.optional().describe('admins only: whose job it is; made, without a sign-in, if not there'),
    project_id: idSchema.default('default'),
    command: shellCommand.describe('run by /bin/sh'),
    gpu_count: count(0, 8).optional().describe('1, or what `--llm NAME` in the command needs'),
    gpu_fraction: gpuFraction.optional(),
    gpu_memory_gb: z.number().positive().max(1024).optional(),
    gpu_model: label(100).optional().describe('only GPUs whose model’s name holds this'),
    instance_count: count(1, 8).optional().describe('on how many nodes the job runs at once'),
    priority: count(-100, 100).default(0),
    estimated_duration_seconds: z
      .number()
      .positive()
      .max(2_000_000)
      .optional()
      .describe(
        'stopped after twice as long; left out: an hour in forecasts, stopped at the longest time there is',
      ),
    max_time: seconds.optional().describe('when the job is stopped, in seconds'),
    environment: idSchema.optional(),
    max_retries: count(0, 10).optional(),
    env: variables.optional(),
    tty: z.boolean().optional().describe('true: it gets a terminal, to which people can attach'),
  })
  .superRefine(({ gpu_count, gpu_fraction }, context) => {
    if (gpu_fraction === undefined || (gpu_count ?? 1) === 1) return
    const message = 'is a part of one GPU: leave out gpu_count or gpu_fraction'
    context.addIssue({ code: 'custom', path: ['gpu_fraction'], message })
  })

/** Where a job of the queue API is: `queued` is what the upload API calls pending. */
export const queueStatuses = ['queued', 'scheduled', 'running', 'completed', 'failed', 'cancelled'] as const

/** The answer to `POST /queue/submit`. */
export const queueSubmittedSchema = z.object({
  job_id: z.string(),
  run_id: z.string().nullable(),
  status: z.enum(queueStatuses).describe('queued, unless this is an older job'),
  deduplicated: z
    .boolean()
    .optional()
    .describe('true: an older job of the same content took its place, as ?deduplicate=true asked'),
})

/** `GET /queue`. */
export const queueQuerySchema = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      'how many of those that wait, and of those that run; left out: the first thousand, and all that run',
    ),
})

/** `PATCH /queue/JOB_ID/priority`. */
export const prioritySchema = z.strictObject({ priority: count(-100, 100) })

/** `GET /queue/JOB_ID`, also once the job has ended. */
export const queueJobDetailSchema = queueJobSchema.extend({
  job_id: z.string(),
  status: z.enum(queueStatuses),
  node: queueJobSchema.shape.node.describe('of its first instance; once it has ended, where that ran last'),
  instances: z
    .array(z.object({ rank: z.number().int(), node: z.string(), gpus: queueJobSchema.shape.gpus }))
    .describe('where each runs, or ran in the last attempt; none while the job waits'),
  completed_at: queueJobSchema.shape.started_at,
  exit_code: z.number().int().nullable(),
})

export type QueueSubmit = z.output<typeof queueSubmitSchema>
export type QueueQuery = z.output<typeof queueQuerySchema>
export type QueueSubmitted = z.output<typeof queueSubmittedSchema>
export type QueueJobDetail = z.output<typeof queueJobDetailSchema>
