import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { makeJob } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { jobsWithoutResult } from '@/lib/results/result-files'
import { diskStore } from '@/lib/storage/disk'
import { setFreeBytes } from '@/lib/storage/free-space'
import { setStorage } from '@/lib/storage/storage'
import { storeResults } from './store-results'

const db = testDatabase()
const GiB = 1024 ** 3
let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-results-'))
  setStorage(diskStore(root))
})
afterAll(async () => {
  setFreeBytes(null)
  await rm(root, { recursive: true })
})

it('leaves results in the database while the disk is almost full, and stores them once it has space', async () => {
  let freeBytes = 4 * GiB
  const read = vi.fn(async () => freeBytes)
  setFreeBytes(read)
  const job = await makeJob()
  await db.pool.query(
    `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 1, attempt = 1, ended_at = now() WHERE id = $1`,
    [job],
  )
  const ending = new AbortController()
  const storing = storeResults(ending.signal)
  await vi.waitFor(() => expect(read.mock.calls.length).toBeGreaterThan(2), { timeout: 60_000 })
  expect(await jobsWithoutResult(10)).toEqual([job])
  freeBytes = 5 * GiB
  await vi.waitFor(async () => expect(await jobsWithoutResult(10)).toEqual([]), { timeout: 60_000 })
  ending.abort()
  await storing
})
