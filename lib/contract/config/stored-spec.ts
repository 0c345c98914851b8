import { z } from 'zod'
import { pools } from './schema'

/** A job's config as the database keeps it: the wire's own keys, without user and token. */
export const storedSpecSchema = z.looseObject({
  gpu_count: z.number().default(1),
  gpu_fraction: z.number().optional(),
  gpu_memory_gb: z.number().optional(),
  cpu: z.number().optional(),
  memory_gb: z.number().optional(),
  allowed_gpus: z.array(z.number()).optional(),
  gpu_model: z.string().optional(),
  instance_count: z.number().default(1),
  pool: z.enum(pools).default('on-demand'),
  env: z.record(z.string(), z.string()).default({}),
  args: z.array(z.string()).default([]),
  tags: z.array(z.string()).default([]),
  cuda_argument: z.boolean().default(false),
  archive: z.string().optional(),
  run_name: z.string().optional(),
  fresh_nodes: z.boolean().default(false),
  tty: z.boolean().default(false),
  max_assign_attempts: z.number().optional(),
  assign_retry_wait: z.number().optional(),
  notify_url: z.string().optional(),
})

export type StoredSpec = z.infer<typeof storedSpecSchema>

/** The spec as the result file shows it: values of environment variables may be secrets and are left out. */
export function publicSpec(spec: StoredSpec): Record<string, unknown> {
  return { ...spec, env: Object.keys(spec.env) }
}
