import * as z from 'zod'
import { pools } from '../config/pools'
import { amount, count, seconds } from '../config/values'

const limit = z.number().int().min(0).max(1_000_000).nullable().describe('null: the default applies')

/** Limits on each job of a user, and on the number of waiting jobs. */
export const jobLimitsSchema = z.object({
  max_priority: count(-100, 100).nullable().describe('maximum priority of a job'),
  pools: z.array(z.enum(pools)).min(1).max(pools.length).nullable().describe('pools that a job may use'),
  max_time: seconds.nullable().describe('maximum time limit of a job, in seconds'),
  max_cpu: amount(0.1, 100_000)
    .nullable()
    .describe('CPU cores of a job without a GPU, over all of its instances'),
  max_memory_gb: amount(0.1, 1_000_000)
    .nullable()
    .describe('memory of a job without a GPU, over all of its instances'),
  max_gpus: amount(0, 100_000).nullable().describe('GPUs of a job, over all of its instances'),
  max_concurrent_gpus: amount(0, 100_000)
    .nullable()
    .describe('GPUs that the running jobs of a user hold at once, including parts; further jobs wait'),
  max_waiting_jobs: count(0, 1_000_000).nullable().describe('jobs of a user that wait at the same time'),
})

/**
 * The limits of a user, a project or a role. Null in a user or a project: the next limit applies, in the order user,
 * project, role. Null in a role: no limit, or the server's default for the first two.
 */
export const limitsSchema = z.object({
  submissions_per_minute: limit,
  max_active_jobs: limit,
  ...jobLimitsSchema.shape,
})

export const updateLimitsSchema = z.strictObject(limitsSchema.partial().shape)

export type JobLimits = z.output<typeof jobLimitsSchema>

/** The limits on jobs where none is set. */
export const noJobLimits: JobLimits = {
  max_priority: null,
  pools: null,
  max_time: null,
  max_cpu: null,
  max_memory_gb: null,
  max_gpus: null,
  max_concurrent_gpus: null,
  max_waiting_jobs: null,
}

export type ApiLimits = z.output<typeof limitsSchema>
