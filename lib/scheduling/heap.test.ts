import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Heap } from './heap'

it('pops items in order, also after some were removed', () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 20 }))
  fc.assert(
    fc.property(numbers, numbers, (early, late) => {
      const heap = new Heap<{ n: number }>((a, b) => a.n - b.n)
      for (const n of early) heap.push({ n })
      const first = heap.pop()
      expect(first?.n).toBe(early.length > 0 ? Math.min(...early) : undefined)
      heap.retain(({ n }) => n % 2 === 0)
      for (const n of late) heap.push({ n })
      const rest = [...early].sort((a, b) => a - b).slice(1)
      const expected = [...rest.filter((n) => n % 2 === 0), ...late].sort((a, b) => a - b)
      expect(heap.size).toBe(expected.length)
      expect(heap.first?.n).toBe(expected[0])
      expect(expected.map(() => heap.pop()?.n)).toEqual(expected)
      expect(heap.pop()).toBeUndefined()
    }),
  )
})
