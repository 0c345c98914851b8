import type { Transaction } from '../../database/transaction'
import type { Obstacle, SizedConfig, Submitter } from '../../engine/external-engine'
import { changedKeys, requestOf } from '../../jobs/config/resource-request'
import { nearestFit } from '../../scheduling/size/nearest-fit'
import type { NodeState, ResourceRequest } from '../../scheduling/types'
import type { SlurmNodeState } from '../client/slurm-client'
import { readSlurmCluster } from '../cluster/stored-cluster'
import { findTargetPartition } from '../cluster/targets'
import { type AskedSize, findPartition, findSizeRefusal, type PartitionSize, toAskedSize } from './partition'

/**
 * Finds what the nodes of a job's Slurm partition can never give. Null also while Slurm does not answer, or before it was read:
 * then the leader decides at the submission to Slurm.
 * @param submitter the owner of the job, whose project decides the partition.
 */
export async function findSlurmObstacle(
  executor: Transaction,
  submitter: Submitter,
  config: SizedConfig,
): Promise<Obstacle | null> {
  const [cluster, name] = await Promise.all([
    readSlurmCluster(),
    findTargetPartition(executor, submitter, config.project_id, config.pool),
  ])
  const partition = cluster.problem === null ? findPartition(name, cluster) : null
  if (!partition) return null
  const { max_time, expected_time } = config
  const time =
    max_time === undefined
      ? { key: 'expected_time' as const, seconds: expected_time }
      : { key: 'max_time' as const, seconds: max_time }
  const request = requestOf(config, null)
  const sizeOf = (of: ResourceRequest) => toAskedSize(of, time, cluster.nodes)
  const refusal = findSizeRefusal(sizeOf(request), partition)
  if (!refusal) return null
  const { key, message } = refusal
  const nearest = key === time.key ? { [key]: partition.maxTimeS } : nearestOf(request, sizeOf, partition)
  return { key, message, nearest }
}

function nearestOf(
  request: ResourceRequest,
  sizeOf: (of: ResourceRequest) => AskedSize,
  partition: PartitionSize,
): Obstacle['nearest'] {
  const { gpuType } = sizeOf(request)
  const typed = { ...request, gpuModel: gpuType }
  const fitting = nearestFit(
    typed,
    partition.nodes.map((node) => toNodeState(node, request)),
  )
  if (!fitting) return null
  const instances = Math.min(fitting.instances, partition.maxNodes ?? fitting.instances)
  const smaller = { ...fitting, instances }
  return findSizeRefusal(sizeOf(smaller), partition) === null ? changedKeys(typed, smaller) : null
}

/** A node of Slurm as the rules of gpuq's own scheduler see it. Slurm does not know the memory of a GPU, and has its own pools. */
function toNodeState({ name, cpus, memoryMib, gpus }: SlurmNodeState, { pool }: ResourceRequest): NodeState {
  const models = gpus.flatMap(({ type, count }) => Array.from({ length: count }, () => type ?? ''))
  return {
    id: name,
    blocked: null,
    pool: pool === 'best-effort' ? 'on-demand' : pool,
    cpuMilli: cpus * 1000,
    memoryMib,
    usedCpuMilli: 0,
    usedMemoryMib: 0,
    gpus: models.map((model, index) => ({
      id: `${name}/${index}`,
      index,
      model,
      memoryMib: Number.POSITIVE_INFINITY,
      allocatedMilli: 0,
      blocked: null,
    })),
  }
}
