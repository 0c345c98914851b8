import type { JobConfig } from '../../contract/config/config'
import type { CheckedConfig, Refusal } from '../../engine/external-engine'
import type { StoredSlurmCluster } from '../cluster/stored-cluster'
import { findGpuType, gpuTypesOf } from './gpu-types'

/** Keys that no Slurm cluster can follow, and why. */
const never = {
  fresh_nodes: 'Slurm starts and stops nodes itself: leave fresh_nodes out',
  allowed_gpus: 'Slurm chooses the GPUs of a job: leave allowed_gpus out, or choose a model with gpu_model',
  host_script: 'Slurm may run the job on another machine: upload the program, or its directory',
  gpu_memory_gb: 'Slurm does not know the memory of a GPU: choose a model with gpu_model',
} as const satisfies Partial<Record<keyof CheckedConfig, string>>

/** The keys that no config may have under Slurm. */
export function keysRefusedBySlurm(shardsPerGpu: number): (keyof JobConfig)[] {
  const keys: (keyof JobConfig)[] = Object.keys(never) as (keyof typeof never)[]
  return shardsPerGpu === 0 ? [...keys, 'gpu_fraction'] : keys
}

/** What decides whether Slurm can follow a config. */
interface SlurmFacts extends Pick<StoredSlurmCluster, 'readAt' | 'problem' | 'nodes'> {
  /** Parts into which Slurm divides each GPU (GRES `shard`); 0: none. */
  shardsPerGpu: number
}

/**
 * Returns what Slurm cannot do for a config, or null. What depends on the nodes is not refused before the cluster was
 * read, or while Slurm does not answer: then Slurm itself decides at the submission.
 */
export function findSlurmRefusal(
  config: CheckedConfig,
  { readAt, problem, nodes, shardsPerGpu }: SlurmFacts,
): Refusal | null {
  for (const key of Object.keys(never) as (keyof typeof never)[]) {
    if (config[key] !== undefined && config[key] !== false) return { key, message: never[key] }
  }
  if (config.gpu_fraction !== undefined && config.gpu_fraction < 1 && shardsPerGpu === 0) {
    const message =
      'this Slurm cluster does not divide GPUs (GPUQ_SLURM_SHARDS_PER_GPU): leave gpu_fraction out'
    return { key: 'gpu_fraction', message }
  }
  if (readAt === null || problem !== null || nodes.length === 0) return null
  const types = gpuTypesOf(nodes)
  if (config.gpu_model !== undefined && findGpuType(config.gpu_model, types) === null) {
    const known = types.length === 0 ? 'has no types of GPUs' : `has ${types.join(', ')}`
    return {
      key: 'gpu_model',
      message: `no GPU of this Slurm cluster is a "${config.gpu_model}": it ${known}`,
      neverFits: true,
    }
  }
  return null
}
