import * as z from 'zod'

/** What one instance of a job has or had on its node. */
export const jobInstanceSchema = z.object({
  rank: z.int(),
  node: z.string(),
  gpus: z.array(
    z.object({
      gpu_id: z.uuid(),
      index: z.int(),
      model: z.string(),
      simulated: z.boolean(),
      memory_mib: z.int().describe('memory of the whole GPU'),
      share: z.number().describe('allocated part of the GPU; 1 is the whole GPU'),
    }),
  ),
  cpu_milli: z.int(),
  memory_mib: z.int(),
  reason: z
    .string()
    .nullable()
    .default(null)
    .describe('why it ended, like the reason of a job; null: it has not'),
  exit_code: z.int().nullable().default(null),
  ended_at: z.string().nullable().default(null),
})

/** What a job requested, what its last attempt got, and how the attempt used it. */
export const jobResourcesSchema = z.object({
  asked: z.object({
    gpu_count: z.int(),
    gpu_fraction: z.number().nullable(),
    gpu_memory_gb: z.number().nullable(),
    gpu_model: z.string().nullable(),
    instance_count: z.int(),
    cpu: z.number().nullable().describe('cores; null: a share per GPU of the node'),
    memory_gb: z.number().nullable().describe('null: a share per GPU of the node'),
  }),
  got: z.array(jobInstanceSchema).describe('one entry per instance; empty before the job is placed'),
  used: z.object({
    gpu_load_mean: z.number().nullable().describe('mean of all samples, 0 to 1; null: no samples'),
    gpu_memory_peak_mib: z.number().nullable().describe('null: no samples'),
    cpu_cores_mean: z.number().nullable().describe('cores of all instances; null: no samples'),
    memory_peak_mib: z.number().nullable().describe('maximum over the instances; null: no samples'),
  }),
})

export type JobResources = z.infer<typeof jobResourcesSchema>
