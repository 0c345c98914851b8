import { expect, it } from 'vitest'
import { ByteCache } from './byte-cache'

function counting(maxBytes: number) {
  const cache = new ByteCache<string>(maxBytes)
  const made: string[] = []
  const get = (key: string, bytes = 4) =>
    cache.get(key, async () => {
      made.push(key)
      return { value: `value of ${key}`, bytes }
    })
  return { cache, made, get }
}

it('makes a value once, also for concurrent requests', async () => {
  const { made, get } = counting(10)
  expect(await Promise.all([get('a'), get('a')])).toEqual(['value of a', 'value of a'])
  expect(await get('a')).toBe('value of a')
  expect(made).toEqual(['a'])
})

it('forgets what was used least recently, and keeps nothing larger than itself', async () => {
  const { cache, made, get } = counting(10)
  await get('a')
  await get('b')
  await get('a')
  await get('c')
  expect(['a', 'b', 'c'].map((key) => cache.has(key))).toEqual([true, false, true])
  await get('huge', 11)
  expect(cache.has('huge')).toBe(false)
  expect(await get('a')).toBe('value of a')
  expect(made).toEqual(['a', 'b', 'c', 'huge'])
})

it('keeps no failure', async () => {
  const { cache, get } = counting(10)
  await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await get('a')).toBe('value of a')
})
