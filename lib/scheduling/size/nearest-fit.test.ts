import { describe, expect, it } from 'vitest'
import { couldFit } from '../fits'
import { gpu, node, oneGpu } from '../testing/rows'
import type { NodeState, ResourceRequest } from '../types'
import { nearestFit } from './nearest-fit'

const mixed: readonly NodeState[] = [
  node('small', 2),
  node('large', 4, { cpuMilli: 32_000, memoryMib: 64_000 }),
  node('h100', 1, { gpus: [gpu('h100/0', { model: 'NVIDIA H100', memoryMib: 80_000 })] }),
  node('reserved', 8, { pool: 'reserved' }),
  node('cpu', 0, { cpuMilli: 64_000, memoryMib: 256_000 }),
]

describe('the nearest request that fits', () => {
  it.each<[string, Partial<ResourceRequest>, Partial<ResourceRequest>]>([
    ['fewer GPUs on the largest node', { gpuCount: 8 }, { gpuCount: 4 }],
    ['fewer nodes', { instances: 8 }, { instances: 3 }],
    ['fewer nodes of the size that is asked for', { gpuCount: 2, instances: 4 }, { instances: 2 }],
    ['fewer cores', { cpuMilli: 48_000 }, { cpuMilli: 32_000 }],
    ['less memory', { memoryMib: 100_000 }, { memoryMib: 64_000 }],
    ['fewer GPUs of the model that is asked for', { gpuCount: 2, gpuModel: 'h100' }, { gpuCount: 1 }],
    ['less memory of a GPU', { gpuMemoryMib: 90_000 }, { gpuMemoryMib: 80_000 }],
    ['other GPUs of a node', { allowedGpus: [8, 9] }, { allowedGpus: null }],
    ['fewer allowed GPUs', { gpuCount: 6, allowedGpus: [0, 1, 2, 3, 4, 5] }, { gpuCount: 4 }],
    ['another model', { gpuModel: 'B200' }, { gpuModel: 'NVIDIA A100' }],
    ['cores of a node without GPUs', { gpuCount: 0, cpuMilli: 96_000 }, { cpuMilli: 64_000 }],
  ])('%s', (_, asked, changes) => {
    const request = { ...oneGpu, ...asked }
    const nearest = nearestFit(request, mixed)
    expect(nearest).toEqual({ ...request, ...changes })
    expect(mixed.filter((one) => nearest && couldFit(nearest, one)).length).toBeGreaterThanOrEqual(
      nearest?.instances ?? Number.NaN,
    )
  })

  it('is in another pool only if the own has nothing', () => {
    const [, , , reserved] = mixed
    expect(nearestFit({ ...oneGpu, gpuCount: 8 }, reserved ? [reserved] : [])).toMatchObject({
      pool: 'reserved',
    })
  })

  it('does not exist without a GPU', () => {
    expect(nearestFit({ ...oneGpu, gpuCount: 2 }, [node('cpu', 0)])).toBeNull()
  })
})
