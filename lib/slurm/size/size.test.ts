import { describe, expect, it } from 'vitest'
import type { ResourceRequest } from '../../scheduling/types'
import type { SlurmNodeState } from '../client/slurm-client'
import { niceOf, slurmSizeOf, UnsuitableForSlurm } from './size'

const request: ResourceRequest = {
  gpuCount: 1,
  gpuMilli: 1000,
  gpuMemoryMib: null,
  cpuMilli: null,
  memoryMib: null,
  allowedGpus: null,
  gpuModel: null,
  instances: 1,
  pool: 'on-demand',
  dedicatedTo: null,
}

function node(name: string, type: string | null, count: number, partitions = ['main']): SlurmNodeState {
  const gpus = count === 0 ? [] : [{ type, count, used: 0 }]
  const size = { cpus: 64, usedCpus: 0, memoryMib: 512_000, usedMemoryMib: 0 }
  return { name, states: ['IDLE'], reason: null, partitions, gpus, ...size }
}

const nodes = [node('a', 'a100', 8), node('b', 'h100_sxm', 4, ['main', 'large']), node('c', null, 0)]
const main = { name: 'main', maxNodes: null, maxTimeS: null, nodes }
const large = { name: 'large', maxNodes: null, maxTimeS: 3600, nodes: nodes.slice(1, 2) }
const facts = { nodes, partition: main, shardsPerGpu: 0, timeLimitS: 600, expectedTimeS: 300 }

describe('the size of a job in Slurm', () => {
  it('is the smallest share of a node that belongs to its GPUs', () => {
    expect(slurmSizeOf({ ...request, gpuCount: 2 }, facts)).toMatchObject({
      gpus: 2,
      cpus: 16,
      memoryMib: 115_200,
    })
    expect(slurmSizeOf(request, { ...facts, partition: large })).toMatchObject({
      cpus: 16,
      memoryMib: 115_200,
    })
  })

  it('is what the config asks for, in whole CPUs', () => {
    const given = { ...request, cpuMilli: 1500, memoryMib: 300, instances: 2 }
    expect(slurmSizeOf(given, facts)).toMatchObject({ nodes: 2, gpus: 1, cpus: 2, memoryMib: 300 })
  })

  it('leaves time to prepare the job and to end it', () => {
    const { timeLimitS, graceS } = slurmSizeOf(request, facts)
    expect(timeLimitS - graceS).toBeGreaterThan(600)
  })

  it('has no higher time limit than its partition, in which it would wait for ever', () => {
    const asked = { ...facts, partition: large, timeLimitS: 7200 }
    expect(slurmSizeOf(request, { ...asked, expectedTimeS: 3600 }).timeLimitS).toBe(3600)
    expect(() => slurmSizeOf(request, { ...asked, expectedTimeS: 3601 })).toThrow(
      'Its expected_time is 3601 s, and the Slurm partition "large" allows 3600 s.',
    )
  })

  it('names the type of GPU that a model means', () => {
    expect(slurmSizeOf({ ...request, gpuModel: 'NVIDIA A100-SXM4-80GB' }, facts).gpuType).toBe('a100')
    expect(slurmSizeOf({ ...request, gpuModel: 'H100' }, facts)).toMatchObject({
      gpuType: 'h100_sxm',
      cpus: 16,
    })
    expect(() => slurmSizeOf({ ...request, gpuModel: 'B200' }, facts)).toThrow('It has a100, h100_sxm.')
  })

  it('is shards for a fraction of a GPU, if Slurm has them', () => {
    const part = { ...request, gpuMilli: 250 }
    expect(slurmSizeOf(part, { ...facts, shardsPerGpu: 10 })).toMatchObject({ gpus: 0, shards: 3 })
    expect(() => slurmSizeOf(part, facts)).toThrow(UnsuitableForSlurm)
    expect(() => slurmSizeOf({ ...part, gpuCount: 2 }, { ...facts, shardsPerGpu: 10 })).toThrow(
      UnsuitableForSlurm,
    )
  })

  it('is refused if no nodes of the partition can ever have it', () => {
    const asked = { ...request, gpuCount: 5 }
    expect(() => slurmSizeOf(asked, { ...facts, partition: large })).toThrow(UnsuitableForSlurm)
    expect(() => slurmSizeOf(asked, { ...facts, partition: large })).toThrow(
      'It asks for 5 GPUs, and the largest node of the Slurm partition "large" has 4.',
    )
  })

  it('is small on a cluster that says nothing about its nodes', () => {
    expect(slurmSizeOf({ ...request, gpuCount: 0 }, { ...facts, nodes: [], partition: null })).toMatchObject({
      cpus: 1,
      memoryMib: 1024,
    })
  })
})

it('a higher priority is a lower nice value, and never negative', () => {
  expect([niceOf(100), niceOf(1), niceOf(0), niceOf(-100)]).toEqual([0, 99, 100, 200])
})
