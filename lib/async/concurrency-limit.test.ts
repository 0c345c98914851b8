import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ConcurrencyLimit, takeSlot } from './concurrency-limit'

/** Work that ends when it is told to, and tells how much of it runs. */
function countedWork() {
  const ends: (() => void)[] = []
  let running = 0
  let most = 0
  const work = async () => {
    running++
    most = Math.max(most, running)
    await new Promise<void>((end) => ends.push(end))
    running--
  }
  const endAll = async () => {
    while (ends.length > 0) {
      ends.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { work, endAll, most: () => most }
}

describe('slots', () => {
  it('run no more at once than there are, and all in the end', async () => {
    const slots = new ConcurrencyLimit(2, 100)
    const { work, endAll, most } = countedWork()
    const all = Array.from({ length: 20 }, () => slots.run(work))
    await endAll()
    const outcomes = await Promise.all(all)
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    expect(most()).toBe(2)
  })

  it('refuses work when the queue is full', async () => {
    const slots = new ConcurrencyLimit(1, 1)
    const { work, endAll } = countedWork()
    const first = slots.run(work)
    const second = slots.run(work)
    expect(await slots.run(work)).toEqual({ ok: false })
    await endAll()
    expect([await first, await second].map(({ ok }) => ok)).toEqual([true, true])
  })

  it('are free again after work that failed', async () => {
    const slots = new ConcurrencyLimit(1, 1)
    const failing = () => Promise.reject(new Error('no'))
    await expect(slots.run(failing)).rejects.toThrow('no')
    expect(await slots.run(async () => 'ran')).toEqual({ ok: true, value: 'ran' })
  })
})

describe('slots of a name', () => {
  const takeAll = (name: string) => Array.from({ length: 32 }, () => takeSlot(name, 32))

  it('are limited for each name, and for no other', () => {
    const [name, other] = [randomUUID(), randomUUID()]
    expect(takeAll(name)).not.toContain(null)
    expect(takeSlot(name, 32)).toBeNull()
    expect(takeSlot(other, 32)).not.toBeNull()
  })

  it('are released once, however often one says so', () => {
    const name = randomUUID()
    const [first] = takeAll(name)
    first?.()
    first?.()
    expect(takeSlot(name, 32)).not.toBeNull()
    expect(takeSlot(name, 32)).toBeNull()
  })
})
