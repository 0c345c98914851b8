import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { diskStore } from './disk'
import { SparseWriter } from './sparse-write'

const MiB = 1024 * 1024
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-sparse-'))
})
afterAll(() => rm(directory, { recursive: true }))

/** Writes the content in parts of this size. Returns what the writer counted. */
async function writeInParts(path: string, content: Buffer, partBytes: number) {
  const file = await open(path, 'w')
  try {
    const writer = new SparseWriter(file)
    for (let at = 0; at < content.length; at += partBytes) {
      await writer.write(content.subarray(at, at + partBytes))
    }
    await writer.end()
    return { bytes: writer.bytes, storedBytes: writer.storedBytes }
  } finally {
    await file.close()
  }
}

/** Zeros with some data at these positions. */
function sparse(bytes: number, ...positions: number[]): Buffer {
  const content = Buffer.alloc(bytes)
  for (const position of positions) content.write('data', position)
  return content
}

describe('a sparse file', () => {
  it.each([
    ['only zeros', sparse(3 * MiB), 0],
    ['data at the start', sparse(3 * MiB, 0), 4096],
    ['data in the middle', sparse(3 * MiB, MiB + 5000), 4096],
    ['data over the border of two blocks', sparse(3 * MiB, 8190), 8192],
    ['data at the end', sparse(3 * MiB, 3 * MiB - 4), 4096],
    ['an end inside of a block', sparse(5000, 0), 4096],
    ['no zeros', randomBytes(3 * MiB + 17), 3 * MiB + 17],
    ['nothing', Buffer.alloc(0), 0],
  ])(
    'a sparse file with %s is read as it was, and takes the space of its data',
    async (_, content, storedBytes) => {
      for (const partBytes of [4096, 64 * 1024, MiB]) {
        const path = join(directory, 'file')
        expect(await writeInParts(path, content, partBytes)).toEqual({ bytes: content.length, storedBytes })
        expect((await readFile(path)).equals(content)).toBe(true)
      }
    },
  )

  it('is read as it was if its parts do not end with blocks', async () => {
    const content = sparse(100_000, 1, 40_000, 99_000)
    for (const partBytes of [1, 7, 1000, 4095, 4097]) {
      const path = join(directory, 'file')
      await writeInParts(path, content, partBytes)
      expect((await readFile(path)).equals(content), `parts of ${partBytes}`).toBe(true)
    }
  })

  it('a sparse file of 300 MiB takes the space of its data in the disk store', async () => {
    const store = diskStore(directory)
    const key = 'artifacts/job/1/0/file'
    async function* content() {
      yield Buffer.from('start')
      for (let i = 0; i < 300; i++) yield Buffer.alloc(MiB)
    }
    const stored = await store.write(key, content())
    expect(stored).toMatchObject({ bytes: 300 * MiB + 5, storedBytes: expect.any(Number) })
    expect(stored.storedBytes).toBeLessThan(16 * 1024)
    const { size, blocks } = await stat(join(directory, key))
    expect(size).toBe(300 * MiB + 5)
    expect(blocks * 512).toBeLessThan(MiB)
  })
})
