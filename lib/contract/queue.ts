import * as z from 'zod'
import { defaultProject } from './access/project-kinds'
import { queueJobSchema } from './cluster/cluster'
import { offeredKeys } from './config/offered-keys'
import { offers } from './config/offers'
import { configSchema, refuseCombinations } from './config/schema'
import { count, durationWithin, label } from './config/values'
import { deduplicated, idSchema, projectNote } from './jobs'

/** Requests of the queue API, and its responses about one job. */

/** What the queue API offers of the keys of a config. */
const keys = offeredKeys(configSchema.shape, offers, 'queue')

/** `POST /queue/submit`. */
export const queueSubmitSchema = z
  .strictObject({
    run_id: label(200).optional().describe('your name for the run, shown in lists'),
    user: idSchema
      .optional()
      .describe('owner of the job, for admins only; created without a sign-in if unknown'),
    ...keys,
    project_id: idSchema.default(defaultProject).describe(keys.project_id.description ?? ''),
    command: keys.command.unwrap().describe(keys.command.description ?? ''),
    priority: keys.priority
      .unwrap()
      .default(0)
      .describe(keys.priority.description ?? ''),
    estimated_duration_seconds: durationWithin(z.number().positive().max(2_000_000))
      .optional()
      .describe('stopped after twice this time; default: 1 hour for forecasts, and the maximum time limit'),
  })
  .superRefine(refuseCombinations)

/** Statuses of the queue API. `queued` is `pending` in the upload API. */
export const queueStatuses = ['queued', 'scheduled', 'running', 'completed', 'failed', 'cancelled'] as const

/** Response of `POST /queue/submit`. */
export const queueSubmittedSchema = z.object({
  job_id: z.uuid(),
  run_id: z.string().nullable(),
  status: z.enum(queueStatuses).describe('queued, or the status of an older job'),
  deduplicated,
  project_note: projectNote,
})

/** `GET /queue`. */
export const queueQuerySchema = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('maximum number of waiting and of running jobs; default: 1000 waiting and all running jobs'),
})

/** `PATCH /queue/JOB_ID/priority`. */
export const prioritySchema = z.strictObject({ priority: count(-100, 100) })

/** `PATCH /queue/JOB_ID/hold`. */
export const holdSchema = z.strictObject({ held: z.boolean() })

/** `GET /queue/JOB_ID`, also for a job that has ended. */
export const queueJobDetailSchema = queueJobSchema.extend({
  job_id: z.uuid(),
  status: z.enum(queueStatuses),
  node: queueJobSchema.shape.node.describe('node of the first instance, also after the end of the job'),
  instances: z
    .array(z.object({ rank: z.int(), node: z.string(), gpus: queueJobSchema.shape.gpus }))
    .describe('nodes of the last attempt; empty while the job waits'),
  completed_at: queueJobSchema.shape.started_at,
  exit_code: z.int().nullable(),
})

export type QueueSubmit = z.output<typeof queueSubmitSchema>
export type QueueQuery = z.output<typeof queueQuerySchema>
export type QueueSubmitted = z.output<typeof queueSubmittedSchema>
export type QueueJobDetail = z.output<typeof queueJobDetailSchema>
