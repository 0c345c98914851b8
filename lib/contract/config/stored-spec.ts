import { z } from 'zod'
import type { ResourceRequest } from '../../scheduling/types'
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

/**
 * What the scheduler needs to know of a config.
 * @param jobId whose it is; null where it stands for jobs like it.
 */
export function requestOf(spec: StoredSpec, jobId: string | null): ResourceRequest {
  const gib = (value: number | undefined) => (value === undefined ? null : Math.ceil(value * 1024))
  return {
    gpuCount: spec.gpu_count,
    gpuMilli: Math.round((spec.gpu_fraction ?? 1) * 1000),
    gpuMemoryMib: spec.gpu_memory_gb === undefined ? null : mibOfGigabytes(spec.gpu_memory_gb),
    cpuMilli: spec.cpu === undefined ? null : Math.ceil(spec.cpu * 1000),
    memoryMib: gib(spec.memory_gb),
    allowedGpus: spec.allowed_gpus ?? null,
    gpuModel: spec.gpu_model ?? null,
    instances: spec.instance_count,
    pool: spec.pool,
    dedicatedTo: spec.fresh_nodes ? jobId : null,
  }
}

/**
 * A GPU's memory is named in powers of ten, and has a little less than as many powers of two: one of "80 GB" has 79.6
 * GiB, one of "16 GB" 15. Who asks for 80 or 16 means those.
 */
function mibOfGigabytes(gigabytes: number): number {
  return Math.ceil((gigabytes * 1e9) / 2 ** 20)
}

/** The spec as the result file shows it: values of environment variables may be secrets and are left out. */
export function publicSpec(spec: StoredSpec): Record<string, unknown> {
  return { ...spec, env: Object.keys(spec.env) }
}
