import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findArtifacts } from './find-artifacts'

const MiB = 1024 * 1024
let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-found-'))
})
afterEach(() => rm(directory, { recursive: true }))

/** A file of this size with a few bytes of data at its end. */
async function writeSparse(name: string, bytes: number): Promise<void> {
  const file = await open(join(directory, name), 'w')
  await file.write('data', bytes - 4)
  await file.close()
}

describe('a sparse file', () => {
  it('counts by its data, so that the limit leaves space for others', async () => {
    await writeSparse('a', 10 * MiB)
    await writeFile(join(directory, 'b'), 'x'.repeat(MiB))
    const { found, skipped } = await findArtifacts(directory, 4 * MiB)
    expect(skipped).toEqual([])
    const [a, b] = found.toSorted((one, other) => (one.path < other.path ? -1 : 1))
    expect(a).toMatchObject({ path: 'a', bytes: 10 * MiB })
    expect(a?.dataBytes).toBeLessThan(MiB)
    expect(b).toMatchObject({ path: 'b', bytes: MiB, dataBytes: MiB })
  })

  it('a sparse file that claims far more than the limit is skipped, because reading it takes time', async () => {
    await writeSparse('huge', 1024 * MiB)
    const { found, skipped } = await findArtifacts(directory, 4 * MiB)
    expect(found).toEqual([])
    expect(skipped).toEqual([{ path: 'huge', why: expect.stringContaining('sparse') }])
  })
})

it('files whose data exceeds the limit in total are skipped', async () => {
  for (const name of ['a', 'b', 'c']) await writeFile(join(directory, name), 'x'.repeat(MiB))
  const { found, skipped } = await findArtifacts(directory, 2 * MiB)
  expect(found).toHaveLength(2)
  expect(skipped).toEqual([{ path: expect.any(String), why: 'it exceeds the size limit for /results' }])
})
