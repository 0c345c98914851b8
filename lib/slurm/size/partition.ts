import type { ResourceRequest } from '../../scheduling/types'
import type { SlurmNodeState, SlurmPartition } from '../client/slurm-client'
import { findGpuType, gpuTypesOf } from './gpu-types'

/** What a job asks of the nodes of a Slurm partition. */
export interface AskedSize {
  instances: number
  /** Whole GPUs of each node. A part of a GPU needs a node with one. */
  gpus: number
  /** Slurm's type of the GPUs; null: any. */
  gpuType: string | null
  /** Null: a share of the node. */
  cpus: number | null
  memoryMib: number | null
  /** Seconds for which it has to run at least, and the option that says so. */
  time: { key: 'max_time' | 'expected_time'; seconds: number }
}

/** What a partition can give at most, whether or not its nodes are up. */
export interface PartitionSize {
  name: string
  /** Nodes of one job; null: unlimited. */
  maxNodes: number | null
  /** Time limit of a job in seconds; null: unlimited. */
  maxTimeS: number | null
  nodes: readonly SlurmNodeState[]
}

/** An option that asks for more than a partition can ever give. */
export interface SizeRefusal {
  key: 'gpu_count' | 'cpu' | 'memory_gb' | 'instance_count' | 'max_time' | 'expected_time'
  message: string
}

/**
 * Finds the partition of a job and its nodes. Null: Slurm does not report it, so nothing is known about its size.
 * @param name null: Slurm's default partition.
 */
export function findPartition(
  name: string | null,
  cluster: { partitions: readonly SlurmPartition[]; nodes: readonly SlurmNodeState[] },
): PartitionSize | null {
  const found = cluster.partitions.find((one) => (name === null ? one.isDefault : one.name === name))
  const nodes = cluster.nodes.filter(({ partitions }) => found && partitions.includes(found.name))
  if (!found || nodes.length === 0) return null
  // A row of an earlier release has no maxima.
  const { name: ownName, maxNodes = null, maxTimeS = null } = found
  return { name: ownName, maxNodes, maxTimeS, nodes }
}

/** @param nodes of the whole cluster, whose types of GPUs a model names. */
export function toAskedSize(
  request: ResourceRequest,
  time: AskedSize['time'],
  nodes: readonly SlurmNodeState[],
): AskedSize {
  const { gpuModel, cpuMilli } = request
  return {
    instances: request.instances,
    gpus: request.gpuCount,
    gpuType: gpuModel === null ? null : findGpuType(gpuModel, gpuTypesOf(nodes)),
    cpus: cpuMilli === null ? null : wholeCpus(cpuMilli),
    memoryMib: request.memoryMib,
    time,
  }
}

/** Slurm gives whole CPUs. */
export function wholeCpus(cpuMilli: number): number {
  return Math.max(1, Math.ceil(cpuMilli / 1000))
}

/** The GPUs of a node of one type, or of all types. */
export function countGpus({ gpus }: Pick<SlurmNodeState, 'gpus'>, type: string | null): number {
  return gpus.filter((one) => type === null || one.type === type).reduce((sum, { count }) => sum + count, 0)
}

/**
 * Returns the option that no set of nodes of the partition can ever fulfil, or null. Slurm would accept most of these jobs
 * and let them wait for ever. Nodes that are down or drained count, because they can come back.
 */
export function findSizeRefusal(asked: AskedSize, partition: PartitionSize): SizeRefusal | null {
  const { gpus, gpuType, cpus, memoryMib } = asked
  const gpuWords = `${gpus} GPU${gpus === 1 ? '' : 's'}${gpuType === null ? '' : ` of type ${gpuType}`}`
  const dimensions: Dimension[] = [
    {
      key: 'gpu_count',
      asked: gpus,
      of: (node) => countGpus(node, gpuType),
      words: gpuWords,
      format: String,
    },
    { key: 'cpu', asked: cpus ?? 0, of: (node) => node.cpus, words: `${cpus} CPUs`, format: String },
    {
      key: 'memory_gb',
      asked: memoryMib ?? 0,
      of: (node) => node.memoryMib,
      words: `${formatGb(memoryMib ?? 0)} of memory`,
      format: formatGb,
    },
  ]
  let nodes = partition.nodes
  let so = ''
  for (const { key, asked: wanted, of, words, format } of dimensions) {
    const fitting = nodes.filter((node) => of(node) >= wanted)
    if (fitting.length === 0) {
      const most = Math.max(...nodes.map(of))
      const place = `of the Slurm partition "${partition.name}"${so}`
      const best = most === 0 ? `no node ${place} has one` : `the largest node ${place} has ${format(most)}`
      return { key, message: `it asks for ${words}, and ${best}` }
    }
    if (fitting.length < nodes.length) so = `${so}${so === '' ? ' with' : ' and'} ${words}`
    nodes = fitting
  }
  return findCountRefusal(asked.instances, nodes.length, so, partition) ?? findTimeRefusal(asked, partition)
}

function findTimeRefusal({ time }: AskedSize, { name, maxTimeS }: PartitionSize): SizeRefusal | null {
  if (maxTimeS === null || time.seconds <= maxTimeS) return null
  return {
    key: time.key,
    message: `its ${time.key} is ${time.seconds} s, and the Slurm partition "${name}" allows ${maxTimeS} s`,
  }
}

interface Dimension {
  key: SizeRefusal['key']
  asked: number
  of(node: SlurmNodeState): number
  /** What is asked for. */
  words: string
  format(amount: number): string
}

function findCountRefusal(
  asked: number,
  has: number,
  so: string,
  { name, maxNodes }: PartitionSize,
): SizeRefusal | null {
  const count = (nodes: number) => `${nodes} node${nodes === 1 ? '' : 's'}`
  if (asked > has)
    return {
      key: 'instance_count',
      message: `it asks for ${count(asked)}, and the Slurm partition "${name}" has ${count(has)}${so}`,
    }
  if (maxNodes === null || asked <= maxNodes) return null
  return {
    key: 'instance_count',
    message: `it asks for ${count(asked)}, and the Slurm partition "${name}" allows ${count(maxNodes)} per job`,
  }
}

/** In the unit of `memory_gb`, rounded down so that the number itself fits. */
function formatGb(mib: number): string {
  return `${Math.floor((mib / 1024) * 10) / 10} GB`
}
