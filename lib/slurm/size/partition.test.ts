import { describe, expect, it } from 'vitest'
import type { SlurmNodeState, SlurmPartition } from '../client/slurm-client'
import { type AskedSize, findPartition, findSizeRefusal } from './partition'

function node(name: string, type: string, count: number, size: Partial<SlurmNodeState> = {}): SlurmNodeState {
  return {
    name,
    states: ['IDLE'],
    reason: null,
    partitions: ['main'],
    cpus: 64,
    usedCpus: 0,
    memoryMib: 512_000,
    usedMemoryMib: 0,
    gpus: count === 0 ? [] : [{ type, count, used: 0 }],
    ...size,
  }
}

const nodes = [
  node('a', 'a100', 8, { states: ['DOWN'] }),
  node('b', 'a100', 8),
  node('c', 'h100', 4, { cpus: 128 }),
  node('d', '', 0, { cpus: 256, memoryMib: 1_000_000 }),
]
const partition: SlurmPartition = {
  name: 'main',
  isDefault: true,
  state: 'UP',
  nodes: 4,
  maxNodes: null,
  maxTimeS: null,
}
const time = { key: 'max_time', seconds: 3600 } as const
const asked: AskedSize = { instances: 1, gpus: 1, gpuType: null, cpus: null, memoryMib: null, time }
const refusalOf = (size: Partial<AskedSize>, most: { maxNodes?: number; maxTimeS?: number } = {}) =>
  findSizeRefusal({ ...asked, ...size }, { name: 'main', maxNodes: null, maxTimeS: null, nodes, ...most })

describe('what a partition can never give', () => {
  it.each([
    [
      { gpus: 16 },
      'gpu_count',
      'it asks for 16 GPUs, and the largest node of the Slurm partition "main" has 8',
    ],
    [
      { gpus: 8, gpuType: 'h100' },
      'gpu_count',
      'it asks for 8 GPUs of type h100, and the largest node of the Slurm partition "main" has 4',
    ],
    [
      { gpuType: 'b200' },
      'gpu_count',
      'it asks for 1 GPU of type b200, and no node of the Slurm partition "main" has one',
    ],
    [
      { cpus: 512 },
      'cpu',
      'it asks for 512 CPUs, and the largest node of the Slurm partition "main" with 1 GPU has 128',
    ],
    [
      { gpus: 8, cpus: 128 },
      'cpu',
      'it asks for 128 CPUs, and the largest node of the Slurm partition "main" with 8 GPUs has 64',
    ],
    [
      { gpus: 0, cpus: 128, memoryMib: 2_000_000 },
      'memory_gb',
      'it asks for 1953.1 GB of memory, and the largest node of the Slurm partition "main" with 128 CPUs has 976.5 GB',
    ],
    [
      { instances: 3, gpus: 8 },
      'instance_count',
      'it asks for 3 nodes, and the Slurm partition "main" has 2 nodes with 8 GPUs',
    ],
    [
      { instances: 5, gpus: 0 },
      'instance_count',
      'it asks for 5 nodes, and the Slurm partition "main" has 4 nodes',
    ],
  ] as const)('%j is refused with its option', (size, key, message) => {
    expect(refusalOf(size)).toEqual({ key, message })
  })

  it('has more nodes than the partition allows one job', () => {
    expect(refusalOf({ instances: 2 }, { maxNodes: 2 })).toBeNull()
    expect(refusalOf({ instances: 3 }, { maxNodes: 2 })).toEqual({
      key: 'instance_count',
      message: 'it asks for 3 nodes, and the Slurm partition "main" allows 2 nodes per job',
    })
  })

  it('runs longer than the partition allows', () => {
    expect(refusalOf({}, { maxTimeS: 3600 })).toBeNull()
    expect(refusalOf({}, { maxTimeS: 3599 })).toEqual({
      key: 'max_time',
      message: 'its max_time is 3600 s, and the Slurm partition "main" allows 3599 s',
    })
  })

  it('is not what nodes that are down or in use can give later', () => {
    expect(refusalOf({ instances: 2, gpus: 8, cpus: 64, memoryMib: 512_000 })).toBeNull()
    expect(refusalOf({ instances: 3 })).toBeNull()
  })
})

it('finds the nodes of a partition, and none of a partition that Slurm does not report', () => {
  const other = { ...partition, name: 'other', isDefault: false }
  const cluster = { partitions: [other, partition], nodes }
  expect(findPartition(null, cluster)).toEqual({ name: 'main', maxNodes: null, maxTimeS: null, nodes })
  expect(findPartition('main', cluster)?.nodes).toHaveLength(4)
  expect(findPartition('other', cluster)).toBeNull()
  expect(findPartition('nowhere', cluster)).toBeNull()
  expect(findPartition(null, { partitions: [other], nodes })).toBeNull()
})
