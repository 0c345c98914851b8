import * as z from 'zod'

/** Where a copy of a job's results and log goes. */
export const jobBucketSchema = z.object({
  url: z.string().describe('the prefix of the objects, such as s3://research/gpuq/ID'),
  log_url: z.string().describe('the object with the final log, which is stored last'),
  state: z
    .enum(['waiting', 'storing', 'stored', 'lost'])
    .describe('waiting: the job has not ended; lost: its files were deleted before they were stored'),
  attempts: z.int(),
  problem: z.string().nullable().describe('error of the last attempt'),
  next_try_at: z.string().nullable().describe('time of the next attempt'),
  stored_at: z.string().nullable(),
})

export type JobBucket = z.infer<typeof jobBucketSchema>
