import type { StoredSpec } from '../../contract/config/stored-spec'
import type { ResourceRequest } from '../../scheduling/types'

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
