import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { diskStore } from './disk'
import type { ObjectStore } from './store'
import { faultOf, parts, readObject, testStorageContract } from './testing/contract'

const name = 'ada_cifar10_20261120T223600.123Z.jsonl'
const key = `results/${name}`
let root: string
let store: ObjectStore

beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), 'gpuq-storage-'))
  store = diskStore(root)
})

afterEach(async () => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  await fs.rm(root, { recursive: true })
})

const filesIn = async (directory: string) => (await fs.readdir(join(root, directory))).sort()

function fault(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}

describe('objects on disk', () => {
  testStorageContract(async () => store)

  it('are files at their keys, with no other files beside them', async () => {
    await store.write(key, parts('x'))
    await store.write('artifacts/job/1/0/id', parts('y'))
    expect(await filesIn('results')).toEqual([name])
    expect(await filesIn('artifacts')).toEqual(['job'])
    expect(await fs.readFile(join(root, 'artifacts/job/1/0/id'), 'utf8')).toBe('y')
    expect((await fs.stat(join(root, key))).mode & 0o077).toBe(0)
  })

  it('can be the first below a missing directory', async () => {
    const deep = diskStore(join(root, 'not', 'yet'))
    await deep.write(key, parts('x'))
    expect(await readObject(deep, key)).toBe('x')
  })

  it('are created by exactly one of two writers', async () => {
    const codes = await Promise.all([
      faultOf(store.write(key, parts('a', 'a'))),
      faultOf(store.write(key, parts('b', 'b'))),
    ])
    expect(codes.sort()).toEqual(['exists', 'no fault'])
    expect(['aa', 'bb']).toContain(await readObject(store, key))
  })

  it.each([
    ['ENOSPC', 'no_space'],
    ['EDQUOT', 'no_space'],
    ['EIO', 'storage_error'],
  ])('objects on disk on %s report %s and leave nothing behind', async (errno, code) => {
    const real = fs.open
    vi.spyOn(fs, 'open').mockImplementation(async (path, flags, mode) => {
      const file = await real(path, flags, mode)
      if (String(path).endsWith('.part')) vi.spyOn(file, 'write').mockRejectedValue(fault(errno))
      return file
    })
    syncBuiltinESMExports()
    expect(await faultOf(store.write(key, parts('x')))).toBe(code)
    expect(await filesIn('results')).toEqual([])
  })

  it('are stored and never overwritten on a disk without hard links', async () => {
    vi.spyOn(fs, 'link').mockRejectedValue(fault('EPERM'))
    syncBuiltinESMExports()
    await store.write(key, parts('first'))
    expect(await faultOf(store.write(key, parts('second')))).toBe('exists')
    expect(await readObject(store, key)).toBe('first')
    expect(await filesIn('results')).toEqual([name])
  })

  it('remove their empty directories, also during concurrent writes', async () => {
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const each = `artifacts/job/1/0/${index}`
        await store.write(each, parts('x'))
        expect(await store.has(each)).toBe(true)
        await store.remove(each)
      }),
    )
    expect(await filesIn('artifacts')).toEqual([])
  })
})

describe('leftovers of dead writers', () => {
  it('are removed, and nothing else', async () => {
    await store.write(key, parts('x'))
    await store.write('artifacts/job/1/0/id', parts('y'))
    const old = join(root, 'results', `.${name}.00ff.part`)
    const oldArtifact = join(root, 'artifacts', '.id.00ff.part')
    const fresh = join(root, 'results', `.${name}.11ff.part`)
    const other = join(root, 'results', 'other.txt')
    for (const path of [old, oldArtifact, fresh, other]) await fs.writeFile(path, 'x')
    for (const path of [old, oldArtifact, other]) await fs.utimes(path, new Date(1000), new Date(1000))
    expect(await store.removeLeftovers(new Date(2000))).toBe(2)
    expect(await filesIn('results')).toEqual([`.${name}.11ff.part`, name, 'other.txt'])
    expect(await filesIn('artifacts')).toEqual(['job'])
    expect(await diskStore(join(root, 'none')).removeLeftovers(new Date())).toBe(0)
  })
})
