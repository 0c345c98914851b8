import * as z from 'zod'

/** Query of `GET /api/cluster/history`. */
export const historyQuerySchema = z.object({
  nodes: z
    .string()
    .max(10_000)
    .regex(/^\d{1,9}(,\d{1,9})*$/, 'must be node numbers separated by commas, such as 0,1,2')
    .transform((text) => text.split(',').map(Number))
    .optional()
    .describe('only the GPUs of these nodes; default: all GPUs'),
})

const series = (of: z.ZodNumber) => z.array(of.nullable())

/** `GET /api/cluster/history`: each GPU's last hour, oldest first. The arrays of one GPU have the same length. */
export const clusterHistorySchema = z.object({
  gpus: z.array(
    z.object({
      gpu_id: z.uuid(),
      at: z.array(z.int()).describe('Unix time in seconds'),
      load: series(z.number().min(0).max(1)),
      memory_used_mib: series(z.number()),
      temperature_c: series(z.number()),
      power_w: series(z.number()),
    }),
  ),
})

export type ClusterHistory = z.output<typeof clusterHistorySchema>
