import { describe, expect, it } from 'vitest'
import { Batches } from './batches'

const fulfilled = <Value>(value: Value) => ({ status: 'fulfilled', value }) as const

/** Batches of numbers whose handling ends when the test says so. */
function manual(maxItems: number) {
  const begun: { items: readonly number[]; end: (error?: Error) => void }[] = []
  const batches = new Batches<number, number>(
    (items) =>
      new Promise((resolve, reject) => {
        begun.push({
          items,
          end: (error) => (error ? reject(error) : resolve(items.map((item) => fulfilled(item * 10)))),
        })
      }),
    maxItems,
  )
  return { batches, begun }
}

/** Lets everything happen that can happen now. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('Batches', () => {
  it('handles the first item at once, and those that come meanwhile together', async () => {
    const { batches, begun } = manual(3)
    const results = [1, 2, 3, 4, 5].map((item) => batches.add(item))
    expect(begun.map(({ items }) => items)).toEqual([[1]])
    begun[0]?.end()
    await settle()
    expect(begun.map(({ items }) => items)).toEqual([[1], [2, 3, 4]])
    begun[1]?.end()
    await settle()
    begun[2]?.end()
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50])
    const later = batches.add(6)
    begun[3]?.end()
    expect(await later).toBe(60)
  })

  it('a failed batch fails its items, and the next one is handled', async () => {
    const { batches, begun } = manual(3)
    const results = [1, 2, 3].map((item) => batches.add(item))
    begun[0]?.end(new Error('away'))
    await expect(results[0]).rejects.toThrow('away')
    await settle()
    begun[1]?.end()
    expect(await Promise.all(results.slice(1))).toEqual([20, 30])
  })

  it('one item fails alone, and an item without an outcome fails too', async () => {
    const batches = new Batches<number, number>(
      async (items) =>
        items
          .filter((item) => item !== 9)
          .map((item) => (item === 2 ? { status: 'rejected', reason: new Error('two') } : fulfilled(item))),
      10,
    )
    const first = batches.add(0)
    const [one, two, three, nine] = [1, 2, 3, 9].map((item) => batches.add(item))
    expect(await Promise.all([first, one, three])).toEqual([0, 1, 3])
    await expect(two).rejects.toThrow('two')
    await expect(nine).rejects.toThrow('no outcome')
  })
})
