import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { uploadFiles } from '../../archives/testing/upload-files'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { diskStore } from '../../storage/disk'
import { setStorage } from '../../storage/storage'
import { jobRoutes } from './jobs'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let root: string
let [ada, bob] = [] as unknown as [Person, Person]
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-changes-'))
  setStorage(diskStore(root))
  await makeJob()
  ;[ada, bob] = [await makePerson(), await makePerson()]
})
afterAll(() => rm(root, { recursive: true }))

/** A job of Ada; with `files`, it has this directory. */
async function jobWith(files?: Record<string, string>): Promise<string> {
  const job = await makeJob({ userId: ada.id, project: 'p' })
  if (!files) return job
  const { id, hash } = await uploadFiles(ada, 'p', files)
  await db.pool.query(
    `UPDATE jobs SET archive_id = $2, spec = spec || jsonb_build_object('archive', $3::text) WHERE id = $1`,
    [job, id, hash],
  )
  return job
}

const compare = (before: string, after: string, who = ada, more = '') =>
  call(jobRoutes.fileChanges, `/api/jobs/${after}/files/changes?since=${before}${more}`, {
    cookie: who.cookie,
    params: { id: after },
  })

it('finds added, removed and changed files by their hashes', async () => {
  const first = await jobWith({ 'train.py': 'lr = 1', 'data/a': 'same', 'old.txt': 'x' })
  const second = await jobWith({ 'train.py': 'lr = 2', 'data/a': 'same', 'new.txt': 'yy' })
  expect(await compare(first, second)).toMatchObject({
    status: 200,
    body: {
      unchanged: { files: 1 },
      truncated: false,
      files: [
        { path: 'new.txt', change: 'added', bytes_before: null, bytes_after: 2 },
        { path: 'old.txt', change: 'removed', bytes_before: 1, bytes_after: null },
        { path: 'train.py', change: 'changed', bytes_before: 6, bytes_after: 6 },
      ],
    },
  })
  expect(await compare(first, second, ada, '&limit=1')).toMatchObject({
    body: { added: { files: 1 }, truncated: true, files: [{ path: 'new.txt' }] },
  })
})

it('a job without a directory has no files, and a deleted directory cannot be compared', async () => {
  const [none, some] = [await jobWith(), await jobWith({ a: 'a' })]
  expect(await compare(none, some)).toMatchObject({ body: { added: { files: 1 } } })
  expect(await compare(some, none)).toMatchObject({ body: { removed: { files: 1 } } })
  await db.pool.query('UPDATE jobs SET archive_id = NULL WHERE id = $1', [some])
  expect(await compare(none, some)).toMatchObject({
    status: 404,
    body: { detail: expect.stringMatching(/was deleted. Upload it again/) },
  })
})

it("another user's job looks like an unknown one", async () => {
  const [own, foreign] = [await makeJob({ userId: bob.id }), await jobWith({ a: 'a' })]
  for (const [before, after] of [
    [own, foreign],
    [foreign, own],
    [own, '01931111-0000-7000-8000-00000000000a'],
    ['x', own],
  ] as const)
    expect(await compare(before, after, bob)).toMatchObject({ status: 404 })
})
