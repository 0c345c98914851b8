import type { StoredSpec } from '../../contract/config/stored-spec'
import type { NearestValue } from '../../contract/errors'
import type { ResourceRequest } from '../../scheduling/types'

/**
 * Returns what the scheduler needs to know about a config.
 * @param jobId null if the config represents a class of jobs and not one job.
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
 * Vendors state GPU memory in powers of ten: an "80 GB" GPU has 79.6 GiB, a "16 GB" GPU has 15. A config with 80 or 16
 * means these GPUs.
 */
function mibOfGigabytes(gigabytes: number): number {
  return Math.ceil((gigabytes * 1e9) / 2 ** 20)
}

/** Returns the config keys that turn one request into another: the inverse of {@link requestOf} for what differs. */
export function changedKeys(from: ResourceRequest, to: ResourceRequest): Record<string, NearestValue> {
  const values: [keyof ResourceRequest, string, NearestValue][] = [
    ['gpuCount', 'gpu_count', to.gpuCount],
    ['instances', 'instance_count', to.instances],
    ['gpuModel', 'gpu_model', to.gpuModel],
    ['gpuMemoryMib', 'gpu_memory_gb', to.gpuMemoryMib && roundDown((to.gpuMemoryMib * 2 ** 20) / 1e9, 1)],
    ['cpuMilli', 'cpu', to.cpuMilli && roundDown(to.cpuMilli / 1000, 1)],
    ['memoryMib', 'memory_gb', to.memoryMib && roundDown(to.memoryMib / 1024, 1)],
    ['pool', 'pool', to.pool],
    ['allowedGpus', 'allowed_gpus', null],
  ]
  return Object.fromEntries(
    values.flatMap(([name, key, value]) => (from[name] === to[name] ? [] : [[key, value]])),
  )
}

/** Rounds down, so that the number itself fits. */
function roundDown(value: number, decimals: number): number {
  return Math.floor(value * 10 ** decimals) / 10 ** decimals
}
