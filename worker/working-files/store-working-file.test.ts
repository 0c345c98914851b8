import { createHash } from 'node:crypto'
import { appendFile, mkdtemp, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { artifactKey } from '@/lib/results/name'
import { diskStore } from '@/lib/storage/disk'
import { setStorage, storage } from '@/lib/storage/storage'
import { safeWalk } from '../files/safe-walk'
import { storeWorkingFile } from './store-working-file'

const task = { jobId: '0190a3b4-0000-7000-8000-000000000001', attempt: 1, rank: 0 }
let directory: string
let store: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-work-'))
  store = await mkdtemp(join(tmpdir(), 'gpuq-store-'))
  setStorage(diskStore(store))
})
afterEach(async () => {
  await rm(directory, { recursive: true })
  await rm(store, { recursive: true })
})

const file = () => join(directory, 'file')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Finds the file; then the program does something; then the file is stored. */
async function storeAfter(change: () => Promise<unknown>, known?: string) {
  const { files } = await safeWalk(directory, { maxEntries: 10, maxLevels: 2 })
  const [found] = files
  if (!found) throw new Error('There is no file.')
  await change()
  const entry = known && { sha256: known, executable: false, as: null, storedBytes: null }
  const { signal } = new AbortController()
  return storeWorkingFile(found, entry || undefined, { task, directory, admit: async () => true, signal })
}

const stored = async () =>
  (await readdir(store, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())

it('a log that grows is stored as the scan found it', async () => {
  await writeFile(file(), 'step 1')
  const result = await storeAfter(() => appendFile(file(), ' and a part of'))
  expect(result).toMatchObject({ path: 'file', bytes: 6, sha256: sha256('step 1') })
  const { stream } = await storage().open(artifactKey(task, typeof result === 'string' ? '' : result.id))
  expect((await stream.toArray()).join('')).toBe('step 1')
})

it.each([
  [
    'was replaced',
    () =>
      writeFile(join(directory, 'new'), 'longer than before').then(() =>
        rename(join(directory, 'new'), file()),
      ),
  ],
  ['was shortened', () => truncate(file(), 2)],
  ['was deleted', () => rm(file())],
])('a file that %s meanwhile is left for the next scan', async (_, change) => {
  await writeFile(file(), 'before')
  expect(await storeAfter(change)).toBe('unsteady')
  expect(await stored()).toEqual([])
})

it('a known content is not stored again', async () => {
  await writeFile(file(), 'text')
  expect(await storeAfter(async () => {}, sha256('text'))).toBe('unchanged')
  expect(await stored()).toEqual([])
})
