import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Cluster } from './cluster'
import { EarliestStarts } from './reservations/reservation'
import { gpu, node, oneGpu } from './testing/rows'

const whole = (id: string) => ({
  nodeId: id,
  gpus: [{ id: `${id}/0`, milli: 1000 }],
  cpuMilli: 0,
  memoryMib: 0,
})
const tenant = (id: string, endsAt: number) => {
  return { task: whole(id), endsAt, startedAt: 0, preemptible: true, terminating: false }
}

it('changedSince returns each changed node once, after any number of changes', () => {
  const cluster = new Cluster([node('a', 1), node('b', 1), node('c', 1)])
  const [a, b] = cluster.nodes
  expect(cluster.changedSince(0)).toHaveLength(3)
  const before = cluster.version
  b?.allocate('first', tenant('b', 1))
  const between = cluster.version
  for (let i = 0; i < 5_000; i++) {
    a?.allocate('j', tenant('a', 1))
    a?.release('j')
  }
  expect(new Set(cluster.changedSince(before))).toEqual(new Set([a, b]))
  expect(cluster.changedSince(between)).toEqual([a])
  expect(cluster.changedSince(cluster.version)).toEqual([])
  expect(cluster.changedSince(0)).toHaveLength(3)
})

/** A job starts on a node, ends or is preempted, and the reservation is requested. */
const step = fc.record({
  place: fc.integer({ min: 0, max: 3 }),
  action: fc.constantFrom('allocate' as const, 'allocate' as const, 'release' as const, 'evict' as const),
  endsAt: fc.integer({ min: 0, max: 9 }),
  reserves: fc.boolean(),
})

it('cached earliest starts and capacities equal newly computed ones', () => {
  const request = { ...oneGpu, cpuMilli: 0, memoryMib: 0 }
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(1, 2), (steps, instances) => {
      const shared = (id: string) => node(id, 1, { gpus: [gpu(`${id}/0`)] })
      const cluster = new Cluster(['a', 'b', 'c', 'd'].map(shared))
      const cached = new EarliestStarts({ ...request, instances }, cluster)
      for (const [now, { place, action, endsAt, reserves }] of steps.entries()) {
        const ledger = cluster.nodes[place]
        if (action === 'allocate' && ledger?.occupants.size === 0)
          ledger.allocate('j', tenant(ledger.id, now + endsAt))
        if (action === 'release') ledger?.release('j')
        if (action === 'evict') ledger?.evict('j')
        for (const node of cluster.nodes)
          expect(node.capacityAt(now)).toEqual(
            node.capacityWithout((one) => one.terminating || one.endsAt <= now),
          )
        if (!reserves) continue
        expect(cached.reserve(now)).toEqual(
          new EarliestStarts({ ...request, instances }, cluster).reserve(now),
        )
      }
    }),
  )
})
