import { expect, it } from 'vitest'
import { BoardCache } from './board-cache'

const light = 1
const heavy = 1_000

/** A cache whose computations end when the test says so. The values are `KEY@VERSION#NUMBER`. */
function testCache({ weight = light, maxWeight = 10_000 } = {}) {
  let nowMs = 0
  let made = 0
  const waiting: (() => void)[] = []
  const cache = new BoardCache<string>(
    maxWeight,
    () => weight,
    () => nowMs,
  )
  return {
    get: (key: string, version: number) =>
      cache.get(key, version, () => {
        made += 1
        const value = `${key}@${version}#${made}`
        return new Promise((resolve) => waiting.push(() => resolve(value)))
      }),
    /** Ends the computations that have begun, after this time. */
    end: (tookMs = 0) => {
      nowMs += tookMs
      for (const resolve of waiting.splice(0)) resolve()
    },
    pass: (ms: number) => {
      nowMs += ms
    },
    computing: () => waiting.length,
  }
}

it('a value of a version is computed once for all who ask, and again for a newer version', async () => {
  const { get, end, computing } = testCache()
  const both = [get('a', 1), get('a', 1)]
  expect(computing()).toBe(1)
  end()
  expect(await Promise.all(both)).toEqual(['a@1#1', 'a@1#1'])
  expect(await get('a', 1)).toBe('a@1#1')
  expect(await get('a', 0)).toBe('a@1#1')
  const newer = get('a', 2)
  end()
  expect(await newer).toBe('a@2#2')
})

it('a computation that began before a change is not the answer to a request after it, if the value is light', async () => {
  const { get, end, computing } = testCache()
  const old = get('a', 1)
  const newer = get('a', 2)
  end()
  expect(await old).toBe('a@1#1')
  await expect.poll(computing).toBe(1)
  end()
  expect(await newer).toBe('a@2#2')
})

it('a heavy value is old for ten times its computing time, then replaced while it is still served, and at most a minute', async () => {
  const { get, end, pass, computing } = testCache({ weight: heavy })
  const first = get('a', 1)
  end(500)
  await first
  pass(5_000)
  expect([await get('a', 2), computing()]).toEqual(['a@1#1', 0])
  pass(1)
  expect([await get('a', 2), computing()]).toEqual(['a@1#1', 1])
  end(500)
  await expect.poll(() => get('a', 2)).toBe('a@2#2')
  pass(60_001)
  const late = get('a', 3)
  expect(computing()).toBe(1)
  end()
  expect(await late).toBe('a@3#3')
})

it('the key decides what a reader may see: an old value of another key is never served', async () => {
  const { get, end } = testCache({ weight: heavy })
  const first = get('public', 1)
  end(500)
  await first
  const other = get('staff', 2)
  end()
  expect(await other).toBe('staff@2#2')
})

it('a failed computation is tried again', async () => {
  const cache = new BoardCache<string>(10, () => light)
  await expect(cache.get('a', 1, () => Promise.reject(new Error('no database')))).rejects.toThrow(
    'no database',
  )
  expect(await cache.get('a', 1, () => Promise.resolve('value'))).toBe('value')
})

it('above its weight, the cache forgets the values that were not used for the longest time', async () => {
  const { get, end, computing } = testCache({ maxWeight: 2 })
  for (const key of ['a', 'b', 'a', 'c']) {
    const value = get(key, 1)
    end()
    await value
  }
  void get('a', 1)
  expect(computing()).toBe(0)
  void get('b', 1)
  expect(computing()).toBe(1)
})
