import fc from 'fast-check'
import { expect, it } from 'vitest'
import { couldFit } from './fits'
import { NodeKinds } from './node-kinds'
import { gpu, node } from './testing/rows'
import type { GpuState, NodeState, ResourceRequest } from './types'

const gpus = fc.array(
  fc.record({
    index: fc.constantFrom(0, 1),
    model: fc.constantFrom('NVIDIA A100', 'Tesla T4'),
    memoryMib: fc.constantFrom(16_000, 40_000),
    allocatedMilli: fc.constantFrom(0, 1000),
    blocked: fc.constantFrom<GpuState['blocked']>(null, 'paused', 'missing'),
  }),
  { minLength: 1, maxLength: 2 },
)
const facts = {
  blocked: fc.constantFrom<NodeState['blocked']>(null, 'lost'),
  pool: fc.constantFrom<NodeState['pool']>('reserved', 'on-demand'),
  dedicatedTo: fc.constantFrom(null, 'j'),
  cpuMilli: fc.constantFrom(1000, 8000),
  memoryMib: fc.constantFrom(1000, 8000),
  usedCpuMilli: fc.constantFrom(0, 1000),
  gpus,
}
/** Variants of one node that differ in a few properties. */
const nodes = fc
  .tuple(fc.record(facts), fc.array(fc.record(facts, { requiredKeys: [] }), { maxLength: 12 }))
  .map(([first, others]) => [first, ...others.map((changes) => ({ ...first, ...changes }))])
const requests = fc.record({
  gpuCount: fc.constantFrom(0, 1, 1, 2),
  gpuMilli: fc.constant(1000),
  gpuMemoryMib: fc.constantFrom(null, null, 24_000),
  cpuMilli: fc.constantFrom(100, 2000),
  memoryMib: fc.constantFrom(100, 2000),
  allowedGpus: fc.constantFrom(null, null, [0]),
  gpuModel: fc.constantFrom(null, null, 'A100'),
  instances: fc.constant(1),
  pool: fc.constantFrom<ResourceRequest['pool']>('reserved', 'best-effort'),
  dedicatedTo: fc.constantFrom(null, null, 'j'),
})

it('finds the same nodes as a check of each node, in the same order', () => {
  fc.assert(
    fc.property(nodes, requests, (rows, request) => {
      const cluster = rows.map(({ gpus: of, ...row }, n) =>
        node(`n${n}`, 0, { ...row, gpus: of.map((one, i) => gpu(`n${n}/${i}`, one)) }),
      )
      const large = new NodeKinds(cluster).largeEnough(request)
      expect(large.map(({ id }) => id)).toEqual(
        cluster.filter((each) => couldFit(request, each)).map(({ id }) => id),
      )
    }),
    { numRuns: 1_500 },
  )
})
