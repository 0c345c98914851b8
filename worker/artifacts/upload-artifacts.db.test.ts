import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { unfinishedTasks } from '@/lib/cluster/tasks/tasks'
import { placeManually } from '@/lib/cluster/testing/placed'
import { makeJob, makeNode, makeUser } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { diskStore } from '@/lib/storage/disk'
import { setStorage } from '@/lib/storage/storage'
import { findArtifacts } from './find-artifacts'
import { ArtifactUploader, uploadArtifacts } from './upload-artifacts'

const db = testDatabase()
const MiB = 1024 * 1024
let root: string
let results: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-store-'))
  results = await mkdtemp(join(tmpdir(), 'gpuq-results-'))
  setStorage(diskStore(root))
})
afterAll(async () => {
  await rm(root, { recursive: true })
  await rm(results, { recursive: true })
})

it('cuts the files of a job at the storage quota of its user, with the reason, and counts holes as nothing', async () => {
  const userId = await makeUser()
  await db.pool.query('UPDATE users SET storage_quota_gib = $2 WHERE id = $1', [userId, 3.5 / 1024])
  const lease = await makeNode()
  const taskId = await placeManually(lease.nodeId, await makeJob({ userId, code: 'x' }))
  const task = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
  if (!task) throw new Error('The task does not exist.')
  for (const name of ['a', 'b', 'c', 'd', 'e']) await writeFile(join(results, name), Buffer.alloc(MiB, name))
  await writeFile(join(results, 'zeros'), Buffer.alloc(MiB))

  const { found } = await findArtifacts(results, 100 * MiB)
  const abandoned = new AbortController().signal
  const source = { lease, task, directory: results, limitBytes: 100 * MiB, abandoned }
  const uploader = new ArtifactUploader(source, performance.now() + 600_000)
  const skipped = await uploader.uploadAll(found.filter(({ path }) => path !== 'zeros'))
  expect(skipped).toHaveLength(2)
  expect(skipped[0]?.why).toContain('it exceeds the storage quota')
  const zeros = found.filter(({ path }) => path === 'zeros').map((file) => ({ ...file, dataBytes: 0 }))
  expect(await uploader.uploadAll(zeros)).toEqual([])
  const { rows } = await db.pool.query<{ bytes: number }>(
    `SELECT sum(bytes)::int8 AS bytes FROM storage_changes WHERE user_id = $1 AND kind = 'artifacts'`,
    [userId],
  )
  expect(rows).toEqual([{ bytes: 3 * MiB }])
})

it('stores only the files of a job that are kept', async () => {
  const lease = await makeNode()
  const jobId = await makeJob({ userId: await makeUser() })
  const taskId = await placeManually(lease.nodeId, jobId)
  const task = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
  if (!task) throw new Error('The task does not exist.')
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-results-'))
  for (const name of ['pred.csv', 'junk']) await writeFile(join(directory, name), name)
  const source = { lease, task, directory, limitBytes: MiB, abandoned: new AbortController().signal }
  const findKept = async () => new Set(['pred.csv'])
  expect(await uploadArtifacts({ ...source, findKept }, 'finished')).toBeNull()
  const paths = async () =>
    (await db.pool.query('SELECT path FROM artifacts WHERE job_id = $1 ORDER BY path', [jobId])).rows
  expect(await paths()).toEqual([{ path: 'pred.csv' }])
  await uploadArtifacts({ ...source, findKept: async () => null }, 'finished')
  expect(await paths()).toEqual([{ path: 'junk' }, { path: 'pred.csv' }])
  await rm(directory, { recursive: true })
})
