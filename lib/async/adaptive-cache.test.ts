import { describe, expect, it } from 'vitest'
import { AdaptiveCache } from './adaptive-cache'

/** A clock that only stands, and answers that take as long as they are told to. */
function setUp(tookMs: number) {
  const world = { now: 0, made: 0, failing: false }
  const kept = new AdaptiveCache(
    async () => {
      await Promise.resolve()
      world.now += tookMs
      if (world.failing) throw new Error('away')
      return ++world.made
    },
    () => world.now,
  )
  return { world, kept }
}

/** Lets what is being made come to its end. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('an answer that is made quickly', () => {
  it('serves all who ask within a second, those who ask at once too', async () => {
    const { world, kept } = setUp(5)
    expect(await Promise.all([kept.get(), kept.get()])).toEqual([1, 1])
    world.now = 1_000
    expect(await kept.get()).toBe(1)
  })

  it('is never older than that', async () => {
    const { world, kept } = setUp(5)
    await kept.get()
    world.now = 1_001
    expect(await kept.get()).toBe(2)
  })
})

describe('an answer that takes long', () => {
  it('serves ten times as long as it took', async () => {
    const { world, kept } = setUp(700)
    await kept.get()
    world.now = 7_000
    expect(await kept.get()).toBe(1)
    await settle()
    expect(world.made).toBe(1)
  })

  it('serves those who ask while the next one is made, once', async () => {
    const { world, kept } = setUp(700)
    await kept.get()
    world.now = 7_001
    expect(await Promise.all([kept.get(), kept.get()])).toEqual([1, 1])
    await settle()
    expect(world.made).toBe(2)
    expect(await kept.get()).toBe(2)
  })

  it('is not given when it is older than a minute', async () => {
    const { world, kept } = setUp(700)
    await kept.get()
    world.now = 60_001
    expect(await kept.get()).toBe(2)
  })

  it('stays when the next one fails, which is tried again', async () => {
    const { world, kept } = setUp(700)
    await kept.get()
    world.now = 7_001
    world.failing = true
    expect(await kept.get()).toBe(1)
    await settle()
    world.failing = false
    expect(await kept.get()).toBe(1)
    await settle()
    expect(await kept.get()).toBe(2)
  })
})

it('throws where there is none before, and is tried again', async () => {
  const { world, kept } = setUp(5)
  world.failing = true
  await expect(kept.get()).rejects.toThrow('away')
  world.failing = false
  expect(await kept.get()).toBe(1)
})
