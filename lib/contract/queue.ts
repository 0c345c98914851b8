import * as z from 'zod'
import { defaultProject } from './access/project-kinds'
import { archiveReferenceSchema } from './archives/snapshot-name'
import { queueJobSchema } from './cluster/cluster'
import { dependsOn } from './config/depends-on'
import { mounts } from './config/mounts'
import { refuseCombinations } from './config/schema'
import {
  amount,
  count,
  duration,
  durationWithin,
  gpuFraction,
  label,
  shellCommand,
  variables,
} from './config/values'
import { workingDirectory } from './config/working-directory'
import { deduplicated, idSchema, projectNote } from './jobs'

/** Requests of the queue API, and its responses about one job. */

/** `POST /queue/submit`. */
export const queueSubmitSchema = z
  .strictObject({
    run_id: label(200).optional().describe('your name for the run, shown in lists'),
    name: label(200).optional().describe('a name for lists; default: run_id'),
    user: idSchema
      .optional()
      .describe('owner of the job, for admins only; created without a sign-in if unknown'),
    project_id: idSchema.default(defaultProject),
    command: shellCommand.describe(
      'command for /bin/sh, or for the program of its first line, such as #!/bin/bash',
    ),
    gpu_count: count(0, 8)
      .optional()
      .describe('default: 1, or the number that `--llm NAME` in the command needs'),
    gpu_fraction: gpuFraction.optional(),
    gpu_memory_gb: amount(0.1, 1024).optional(),
    gpu_model: label(100).optional().describe('text that the model name of the GPUs must contain'),
    instance_count: count(1, 8).optional().describe('number of nodes that run the job together'),
    priority: count(-100, 100).default(0),
    estimated_duration_seconds: durationWithin(z.number().positive().max(2_000_000))
      .optional()
      .describe('stopped after twice this time; default: 1 hour for forecasts, and the maximum time limit'),
    max_time: duration
      .optional()
      .describe('time limit in seconds or with a unit, such as 2h, after which the job is stopped'),
    environment: idSchema.optional(),
    max_retries: count(0, 10).optional(),
    env: variables.optional(),
    archive: archiveReferenceSchema
      .optional()
      .describe(
        'a snapshot, such as code or code@3, or the hash of a directory that you uploaded to the project; the command starts in a copy of it, /work',
      ),
    working_directory: workingDirectory
      .optional()
      .describe(
        'the absolute path at which the command finds its directory and starts, instead of /work; files that it writes there are stored while it runs',
      ),
    mounts: mounts
      .optional()
      .describe('snapshots that the command can read, by their paths: `{"/data": "data/cifar10"}`'),
    depends_on: dependsOn
      .optional()
      .describe(
        'jobs that must complete before this job may start, by their ids; if one of them does not, this job is cancelled',
      ),
    tty: z.boolean().optional().describe('true: the job has a terminal to which users can attach'),
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
