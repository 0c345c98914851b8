import fc from 'fast-check'
import { expect, it } from 'vitest'
import { capacityOf, isFree, needOn } from './capacity'
import { fits } from './fits'
import { gpu, node, oneGpu } from './testing/rows'
import type { GpuState, NodeState, ResourceRequest } from './types'

const gpus: fc.Arbitrary<GpuState[]> = fc
  .array(
    fc.record({
      allocatedMilli: fc.constantFrom(0, 0, 250, 500, 1000),
      blocked: fc.constantFrom(null, null, null, 'paused' as const),
      model: fc.constantFrom('NVIDIA A100', 'H100'),
      memoryMib: fc.constantFrom(24_000, 80_000),
    }),
    { maxLength: 8 },
  )
  .map((states) => states.map((state, index) => gpu(`n/${index}`, state)))

const nodes: fc.Arbitrary<NodeState> = fc
  .record({
    blocked: fc.constantFrom(null, null, null, 'draining' as const),
    pool: fc.constantFrom('on-demand' as const, 'reserved' as const),
    usedCpuMilli: fc.constantFrom(0, 4000, 8000),
    usedMemoryMib: fc.constantFrom(0, 4000, 8000),
    gpus,
  })
  .map((changes) => node('n', 0, changes))

const requests: fc.Arbitrary<ResourceRequest> = fc
  .record({
    gpuCount: fc.integer({ min: 0, max: 4 }),
    gpuMilli: fc.constantFrom(250, 500, 1000),
    gpuMemoryMib: fc.constantFrom(null, 40_000),
    cpuMilli: fc.constantFrom(null, 0, 4000),
    memoryMib: fc.constantFrom(null, 0, 4000),
    allowedGpus: fc.constantFrom(null, [0, 2]),
    gpuModel: fc.constantFrom(null, 'a100', 'v100|h100'),
    pool: fc.constantFrom('on-demand' as const, 'best-effort' as const),
  })
  .map((changes) => ({ ...oneGpu, ...changes }))

it('isFree agrees with fits for the current capacity of a node', () => {
  let fitting = 0
  fc.assert(
    fc.property(requests, nodes, (request, state) => {
      const { ok } = fits(request, state)
      fitting += ok ? 1 : 0
      const need = needOn(request, state)
      expect(need !== null && isFree(need, capacityOf(state))).toBe(ok)
    }),
    { numRuns: 3_000 },
  )
  expect(fitting).toBeGreaterThan(100)
})
