import { z } from 'zod'

const values = z.array(z.number().nullable())

/** `GET /api/jobs/ID/usage`: what the tasks of a job's last attempt used over their run. */
export const jobUsageSchema = z.object({
  attempt: z.int(),
  tasks: z.array(
    z.object({
      rank: z.int(),
      node: z.string(),
      started_at: z.string(),
      interval_s: z.int().describe('seconds that each value stands for; it grows with the run'),
      cpu_cores: values.describe('mean of the used cores in each interval since the start; null: no sample'),
      memory_mib: values.describe('peak of the memory in each interval; null: no sample'),
      cpu_milli: z.int().describe('allocated thousandths of a core'),
      memory_limit_mib: z.int(),
    }),
  ),
})

export type JobUsage = z.infer<typeof jobUsageSchema>
