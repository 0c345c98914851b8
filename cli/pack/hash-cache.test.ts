import { type Stats, statSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HashCache } from './hash-cache'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-cache-'))
})
afterEach(() => rm(home, { recursive: true }))

const env = () => ({ ...process.env, HOME: home, XDG_CACHE_HOME: '' })
const stats = (changes: Partial<Stats> = {}): Stats =>
  Object.assign(statSync(home), { size: 5, mtimeMs: 1000.5, ctimeMs: 1000.5, ino: 7 }, changes)
const later = 10_000

it('remembers unchanged files and drops files that were not asked for', async () => {
  const first = await HashCache.open(env(), '/project')
  first.keep('a', stats(), 'hash of a', later)
  first.keep('b', stats(), 'hash of b', later)
  await first.save()
  const second = await HashCache.open(env(), '/project')
  expect(second.find('a', stats())).toBe('hash of a')
  for (const change of [{ size: 6 }, { mtimeMs: 1001 }, { ctimeMs: 1001 }, { ino: 8 }])
    expect(second.find('b', stats(change))).toBeNull()
  await second.save()
  const third = await HashCache.open(env(), '/project')
  expect([third.find('a', stats()), third.find('b', stats())]).toEqual(['hash of a', null])
  expect((await HashCache.open(env(), '/other')).find('a', stats())).toBeNull()
})

it('does not trust a file that was written just before it was read', async () => {
  const cache = await HashCache.open(env(), '/project')
  cache.keep('a', stats({ mtimeMs: later - 500 }), 'hash', later)
  cache.keep('b', stats({ ctimeMs: later - 500 }), 'hash', later)
  await cache.save()
  const next = await HashCache.open(env(), '/project')
  expect(next.find('a', stats({ mtimeMs: later - 500 }))).toBeNull()
  expect(next.find('b', stats({ ctimeMs: later - 500 }))).toBeNull()
})

it('is empty if the file is damaged, and leaves no temporary files', async () => {
  const cache = await HashCache.open(env(), '/project')
  cache.keep('a', stats(), 'hash', later)
  await cache.save()
  await writeFile(cache.path, '{"version":1,"files":{"a":[1]}}')
  expect((await HashCache.open(env(), '/project')).find('a', stats())).toBeNull()
  expect(await readdir(join(home, '.cache', 'gpuq', 'hashes'))).toHaveLength(1)
})
