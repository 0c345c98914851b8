import { describe, expect, it } from 'vitest'
import type { CheckedConfig } from '../../engine/external-engine'
import type { SlurmNodeState } from '../client/slurm-client'
import { findGpuType } from './gpu-types'
import { findSlurmRefusal } from './refusal'

const readAt = new Date('2026-11-23T10:00:00Z')

function node(type: string | null): SlurmNodeState {
  return {
    name: 'n0',
    states: ['IDLE'],
    reason: null,
    partitions: ['gpu'],
    cpus: 16,
    usedCpus: 0,
    memoryMib: 20_000,
    usedMemoryMib: 0,
    gpus: [{ type, count: 8, used: 0 }],
  }
}

const plain: CheckedConfig = { fresh_nodes: false }
const refusalOf = (keys: Partial<CheckedConfig>, nodes = [node('a100')], shardsPerGpu = 0) =>
  findSlurmRefusal({ ...plain, ...keys }, { readAt, problem: null, nodes, shardsPerGpu })

describe('what Slurm cannot do', () => {
  it.each([
    [{ fresh_nodes: true }, 'fresh_nodes'],
    [{ allowed_gpus: [0, 1] }, 'allowed_gpus'],
    [{ host_script: '/home/ada/train.py' }, 'host_script'],
    [{ gpu_memory_gb: 40 }, 'gpu_memory_gb'],
    [{ gpu_model: 'H200' }, 'gpu_model'],
    [{ gpu_fraction: 0.5 }, 'gpu_fraction'],
  ] as const)('%j is refused with its key and what to do', (keys, key) => {
    const refusal = refusalOf(keys as Partial<CheckedConfig>)
    expect(refusal?.key).toBe(key)
    expect(refusal?.message).toMatch(/leave .+ out|choose|upload|it has a100/)
  })

  it('leaves everything else to Slurm', () => {
    expect(refusalOf({})).toBeNull()
    expect(refusalOf({ gpu_model: 'NVIDIA A100-SXM4-80GB' })).toBeNull()
    expect(refusalOf({ gpu_fraction: 0.5 }, [node('a100')], 8)).toBeNull()
    expect(refusalOf({ gpu_model: 'A100' }, [node(null)])?.message).toContain('has no types of GPUs')
  })

  it('refuses nothing that depends on a cluster that was never read', () => {
    const unread = { readAt: null, problem: null, nodes: [], shardsPerGpu: 0 }
    expect(findSlurmRefusal({ ...plain, gpu_model: 'H200' }, unread)).toBeNull()
    const silent = { readAt, problem: 'No answer.', nodes: [node('a100')], shardsPerGpu: 0 }
    expect(findSlurmRefusal({ ...plain, gpu_model: 'H200' }, silent)).toBeNull()
  })
})

it.each([
  ['H100', ['a100', 'h100'], 'h100'],
  ['NVIDIA A100-SXM4-80GB', ['a100', 'a100_80gb'], 'a100'],
  ['a100 80gb', ['a100', 'a100_80gb'], 'a100_80gb'],
  ['V100', ['a100'], null],
  ['V100', [], null],
])('finds the type of GPU for %j among %j', (model, types, found) => {
  expect(findGpuType(model, types)).toBe(found)
})
