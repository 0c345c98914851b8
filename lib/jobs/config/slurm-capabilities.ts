import type { JobConfig } from '../../contract/config/config'
import { findGpuType, gpuTypesOf } from './gpu-types'
import type { StoredSlurmCluster } from './slurm-cluster'

/** The keys of a config that depend on what Slurm can do. */
export type SlurmKeys = Pick<
  JobConfig,
  'fresh_nodes' | 'allowed_gpus' | 'host_script' | 'gpu_memory_gb' | 'gpu_model' | 'gpu_fraction'
>

export interface Refusal {
  key: keyof JobConfig
  message: string
}

/** Keys that no Slurm cluster can follow, and why. */
const never = {
  fresh_nodes: 'Slurm starts and stops nodes itself: leave fresh_nodes out',
  allowed_gpus: 'Slurm chooses the GPUs of a job: leave allowed_gpus out, or choose a model with gpu_model',
  host_script: 'Slurm may run the job on another machine: upload the program, or its directory',
  gpu_memory_gb: 'Slurm does not know the memory of a GPU: choose a model with gpu_model',
} as const satisfies Partial<Record<keyof SlurmKeys, string>>

/**
 * Returns what Slurm cannot do for a config, or null. What depends on the cluster is not refused before the cluster was
 * read: then Slurm itself decides at the submission.
 */
export function findSlurmRefusal(
  config: SlurmKeys,
  { readAt, nodes }: Pick<StoredSlurmCluster, 'readAt' | 'nodes'>,
): Refusal | null {
  for (const key of Object.keys(never) as (keyof typeof never)[]) {
    if (config[key] !== undefined && config[key] !== false) return { key, message: never[key] }
  }
  if (readAt === null || nodes.length === 0) return null
  const types = gpuTypesOf(nodes)
  if (config.gpu_model !== undefined && findGpuType(config.gpu_model, types) === null) {
    const known = types.length === 0 ? 'has no types of GPUs' : `has ${types.join(', ')}`
    return {
      key: 'gpu_model',
      message: `no GPU of this Slurm cluster is a "${config.gpu_model}": it ${known}`,
    }
  }
  if (config.gpu_fraction !== undefined && config.gpu_fraction < 1 && !hasShards({ readAt, nodes })) {
    const message = 'this Slurm cluster divides no GPUs (it has no GRES "shard"): leave gpu_fraction out'
    return { key: 'gpu_fraction', message }
  }
  return null
}

/** Whether jobs can get a part of a GPU. True as long as that is not known. */
export function hasShards({ readAt, nodes }: Pick<StoredSlurmCluster, 'readAt' | 'nodes'>): boolean {
  return readAt === null || nodes.some(({ shards }) => shards === undefined || shards > 0)
}
