import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Cluster } from './cluster'
import { EarliestStarts } from './reservation'
import { gpu, node, oneGpu } from './testing/rows'

const whole = (id: string) => ({
  nodeId: id,
  gpus: [{ id: `${id}/0`, milli: 1000 }],
  cpuMilli: 0,
  memoryMib: 0,
})
const tenant = (id: string, endsAt: number) => {
  return { task: whole(id), endsAt, startedAt: 0, preemptible: true, leaving: false }
}

it('tells the nodes that changed since a mark, each once, however many changes there were', () => {
  const cluster = new Cluster([node('a', 1), node('b', 1), node('c', 1)])
  const [a, b] = cluster.nodes
  expect(cluster.changedSince(0)).toHaveLength(3)
  const before = cluster.mark
  b?.allocate('first', tenant('b', 1))
  const between = cluster.mark
  for (let i = 0; i < 5_000; i++) {
    a?.allocate('j', tenant('a', 1))
    a?.release('j')
  }
  expect(new Set(cluster.changedSince(before))).toEqual(new Set([a, b]))
  expect(cluster.changedSince(between)).toEqual([a])
  expect(cluster.changedSince(cluster.mark)).toEqual([])
  expect(cluster.changedSince(0)).toHaveLength(3)
})

/** A job comes to a node, ends or is told to go, and the reservation is asked for. */
const step = fc.record({
  place: fc.integer({ min: 0, max: 3 }),
  does: fc.constantFrom('seat' as const, 'seat' as const, 'release' as const, 'evict' as const),
  endsAt: fc.integer({ min: 0, max: 9 }),
  asks: fc.boolean(),
})

it('what was found out about nodes is what is found anew', () => {
  const request = { ...oneGpu, cpuMilli: 0, memoryMib: 0 }
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(1, 2), (steps, instances) => {
      const shared = (id: string) => node(id, 1, { gpus: [gpu(`${id}/0`)] })
      const cluster = new Cluster(['a', 'b', 'c', 'd'].map(shared))
      const kept = new EarliestStarts({ ...request, instances }, cluster)
      for (const [now, { place, does, endsAt, asks }] of steps.entries()) {
        const book = cluster.nodes[place]
        if (does === 'seat' && book?.occupants.size === 0) book.allocate('j', tenant(book.id, now + endsAt))
        if (does === 'release') book?.release('j')
        if (does === 'evict') book?.evict('j')
        if (!asks) continue
        expect(kept.reserve(now)).toEqual(new EarliestStarts({ ...request, instances }, cluster).reserve(now))
      }
    }),
  )
})
