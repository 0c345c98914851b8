import { toEndDetail } from '../../contract/reasons'
import type { ResourceRequest } from '../../scheduling/types'
import type { SlurmNodeState, SlurmSubmission } from '../client/slurm-client'
import { findGpuType, gpuTypesOf } from './gpu-types'
import { countGpus, findSizeRefusal, type PartitionSize, toAskedSize, wholeCpus } from './partition'

export type SlurmSize = Pick<
  SlurmSubmission,
  'nodes' | 'gpus' | 'gpuType' | 'shards' | 'cpus' | 'memoryMib' | 'timeLimitS' | 'graceS'
>

/** Thrown for a job that this Slurm cluster can never run. */
export class UnsuitableForSlurm extends Error {}

interface SizeFacts {
  /** All nodes of the cluster. */
  nodes: readonly SlurmNodeState[]
  /** The partition of the job; null: nothing is known about it. */
  partition: PartitionSize | null
  /** How many shards a GPU has; 0: Slurm has no shards. */
  shardsPerGpu: number
  /** The program's time limit, and how long it is expected to run. */
  timeLimitS: number
  expectedTimeS: number
}

/** For the image, the directory and the end of the container, which do not count towards the program's time limit. */
const startReserveS = 240
/** Between SIGTERM to the batch script and the end of the Slurm job. */
const graceS = 60
/** Fraction of a node's memory for jobs, as under the builtin engine. */
const memoryShare = 0.9
/** A job without GPUs on a cluster without GPUs. */
const smallest = { cpus: 1, memoryMib: 1024 }

/**
 * Returns what a job asks of Slurm. What the config leaves open is the share of a node that belongs to its GPUs, on the
 * node where that share is smallest.
 * @throws {UnsuitableForSlurm}
 */
export function slurmSizeOf(request: ResourceRequest, facts: SizeFacts): SlurmSize {
  const shared = request.gpuMilli < 1000 && request.gpuCount > 0
  if (shared && facts.shardsPerGpu === 0)
    throw new UnsuitableForSlurm(
      'This Slurm cluster has no shards, so a job gets whole GPUs. Remove gpu_fraction.',
    )
  if (shared && request.gpuCount > 1)
    throw new UnsuitableForSlurm('Slurm gives shards of one GPU only. Use gpu_count: 1 with gpu_fraction.')
  const gpuType = request.gpuModel === null ? null : requireType(request.gpuModel, facts.nodes)
  const time = { key: 'expected_time' as const, seconds: facts.expectedTimeS }
  const refusal = facts.partition && findSizeRefusal(toAskedSize(request, time, facts.nodes), facts.partition)
  if (refusal) throw new UnsuitableForSlurm(toEndDetail(`${refusal.message}.`))
  const share = shareOf(request, gpuType, facts.partition?.nodes ?? facts.nodes)
  return {
    nodes: request.instances,
    gpus: shared ? 0 : request.gpuCount,
    gpuType: shared ? null : gpuType,
    shards: shared ? Math.max(1, Math.ceil((request.gpuMilli / 1000) * facts.shardsPerGpu)) : 0,
    cpus: request.cpuMilli === null ? share.cpus : wholeCpus(request.cpuMilli),
    memoryMib: request.memoryMib ?? share.memoryMib,
    // Slurm would let a job with a higher limit than its partition's wait for ever.
    timeLimitS: Math.min(
      facts.timeLimitS + startReserveS + graceS,
      facts.partition?.maxTimeS ?? Number.POSITIVE_INFINITY,
    ),
    graceS,
  }
}

function requireType(model: string, nodes: readonly SlurmNodeState[]): string {
  const types = gpuTypesOf(nodes)
  const found = findGpuType(model, types)
  if (found !== null) return found
  const known = types.length === 0 ? 'It has no GPU types.' : `It has ${types.join(', ')}.`
  throw new UnsuitableForSlurm(`This Slurm cluster has no GPU type for the model "${model}". ${known}`)
}

function shareOf(
  request: ResourceRequest,
  gpuType: string | null,
  nodes: readonly SlurmNodeState[],
): { cpus: number; memoryMib: number } {
  const held = request.gpuCount === 0 ? 1 : (request.gpuCount * request.gpuMilli) / 1000
  const shares = nodes.flatMap((node) => {
    const count = countGpus(node, gpuType)
    if (count < Math.max(1, Math.ceil(held))) return []
    const share = Math.min(1, held / count)
    return [
      {
        cpus: Math.max(1, Math.floor(node.cpus * share)),
        memoryMib: Math.max(smallest.memoryMib, Math.floor(node.memoryMib * memoryShare * share)),
      },
    ]
  })
  if (shares.length === 0) return smallest
  return {
    cpus: Math.min(...shares.map(({ cpus }) => cpus)),
    memoryMib: Math.min(...shares.map(({ memoryMib }) => memoryMib)),
  }
}

/** gpuq's highest priority, which gets Slurm's lowest nice value without a right that only operators have. */
const highestPriority = 100

/** A higher priority in gpuq is a lower nice value in Slurm, which is never negative. */
export function niceOf(priority: number): number {
  return Math.max(0, highestPriority - priority)
}
