import { createHash } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '@/lib/access/testing/people'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { type ClaimedTask, unfinishedTasks } from '@/lib/cluster/tasks/tasks'
import { placeManually } from '@/lib/cluster/testing/placed'
import { makeJob, makeNode } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { deleteFiles } from '@/lib/jobs/lifecycle/delete-files'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'
import { diskStore } from '@/lib/storage/disk'
import { setStorage } from '@/lib/storage/storage'
import { downloadWorkingFile, listWorkingFiles } from '@/lib/working-files/download-working-files'
import { WorkingFilesUploader } from './working-files-uploader'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
const { signal } = new AbortController()
let store: string
let directory: string
let ada: Person
let lease: Lease
let task: ClaimedTask
beforeAll(async () => {
  store = await mkdtemp(join(tmpdir(), 'gpuq-store-'))
  setStorage(diskStore(store))
})
afterAll(() => rm(store, { recursive: true }))
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-work-'))
  ada = await makePerson()
  lease = await makeNode()
  const spec = { working_directory: '/workspace/project' }
  const taskId = await placeManually(lease.nodeId, await makeJob({ userId: ada.id, spec, code: 'x' }))
  const found = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
  if (!found) throw new Error('The task does not exist.')
  task = found
})
afterEach(() => rm(directory, { recursive: true }))

function openUploader(notes: string[] = []) {
  return new WorkingFilesUploader({
    lease,
    task,
    path: '/workspace/project',
    directory,
    isReady: async () => true,
    uploaded: join(directory, 'nothing'),
    abandoned: signal,
    note: (text) => notes.push(text),
  })
}

/** One scan of the directory after the end of the program. */
const scan = (notes?: string[]) => openUploader(notes).finish(signal)

const write = (path: string, text: string) => writeFile(join(directory, path), text)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const list = async (after = 0, person = ada) =>
  listWorkingFiles(await findVisibleJob(person.actor, task.jobId), after)
const download = async (fileId: string | undefined, person = ada) =>
  downloadWorkingFile(await findVisibleJob(person.actor, task.jobId), fileId ?? '', new Headers())
const notFound = { code: 'not_found' }

const stored = async () =>
  (
    await readdir(join(store, 'artifacts', task.jobId), { recursive: true, withFileTypes: true }).catch(
      () => [],
    )
  )
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

describe('the files of a working directory', () => {
  it('are listed in the order of their versions, and downloaded', async () => {
    await mkdir(join(directory, 'out'))
    await write('train.log', 'step 1\n')
    await scan()
    const first = await list()
    expect(first).toMatchObject({
      working_directory: '/workspace/project',
      ended: false,
      more: false,
      files: [{ path: 'train.log', bytes: 7, sha256: sha256('step 1\n'), executable: false, rank: 0 }],
    })
    await appendFile(join(directory, 'train.log'), 'step 2\n')
    await write('out/model.pt', 'weights')
    await scan()
    const next = await list(first.next)
    expect(next.files.map(({ path }) => path).toSorted()).toEqual(['out/model.pt', 'train.log'])
    const log = next.files.find(({ path }) => path === 'train.log')
    expect(await (await download(log?.file_id)).text()).toBe('step 1\nstep 2\n')
    expect((await list(next.next)).files).toEqual([])
    await expect(download(first.files[0]?.file_id)).rejects.toMatchObject(notFound)
    expect((await stored()).toSorted()).toEqual(next.files.map((file) => file.file_id).toSorted())
  })

  it('answer 410 if the storage has lost their content', async () => {
    await write('train.log', 'step 1')
    await scan()
    await rm(join(store, 'artifacts', task.jobId), { recursive: true })
    const { files } = await list()
    await expect(download(files[0]?.file_id)).rejects.toMatchObject({ code: 'content_lost', status: 410 })
  })

  it('are stored while the program runs, also large ones', async () => {
    const uploader = openUploader()
    uploader.start()
    const large = { path: 'model.pt', bytes: 17 << 20 }
    await writeFile(join(directory, large.path), Buffer.alloc(large.bytes, 'x'))
    await write('train.log', 'step 1\n')
    const untilListed = (files: object[]) =>
      vi.waitFor(async () => expect((await list()).files).toMatchObject(files), 60_000)
    await untilListed([{ path: 'train.log' }, large])
    await appendFile(join(directory, 'train.log'), 'step 2\n')
    await untilListed([large, { path: 'train.log', sha256: sha256('step 1\nstep 2\n') }])
    expect(await uploader.finish(signal)).toEqual([])
  })

  it('are not stored again if their content is known, also by a new worker', async () => {
    await write('train.log', 'the same')
    await scan()
    const before = await list()
    await write('train.log', 'the same')
    await scan()
    expect(await list()).toEqual(before)
  })

  it('lose their record when the program deletes them', async () => {
    await write('step-1.pt', 'a')
    await write('step-2.pt', 'b')
    await scan()
    await rm(join(directory, 'step-1.pt'))
    await rename(join(directory, 'step-2.pt'), join(directory, 'best.pt'))
    await scan()
    const { files } = await list()
    expect(files.map(({ path }) => path)).toEqual(['best.pt'])
    expect(await stored()).toHaveLength(1)
  })

  it('never include links, what is behind them, or the files of a repository', async () => {
    await mkdir(join(directory, '.git', 'hooks'), { recursive: true })
    await write('.git/hooks/post-commit', 'an attack')
    await symlink('/etc', join(directory, 'etc'))
    await symlink('/etc/passwd', join(directory, 'passwd'))
    await writeFile(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff, 0xfe])]), 'no UTF-8')
    await write('a\nb', 'a control character')
    await write('file', 'text')
    await scan()
    const { files } = await list()
    expect(files.map(({ path }) => path)).toEqual(['file'])
  })

  it('are visible to their owner and admins only', async () => {
    await write('file', 'text')
    await scan()
    const { files } = await list()
    const [bob, admin] = [await makePerson(), await makePerson('admin')]
    await expect(list(0, bob)).rejects.toMatchObject(notFound)
    await expect(download(files[0]?.file_id, bob)).rejects.toMatchObject(notFound)
    expect((await list(0, admin)).files).toHaveLength(1)
    expect((await download(files[0]?.file_id, admin)).status).toBe(200)
  })

  it('count towards the quota of the user, who learns what was not kept', async () => {
    await db.pool.query('UPDATE users SET storage_quota_gib = $2 WHERE id = $1', [ada.id, 2 / 1024])
    await writeFile(join(directory, 'large'), Buffer.alloc(3 << 20, 'x'))
    await writeFile(join(directory, 'small'), Buffer.alloc(1 << 20, 'y'))
    const notes: string[] = []
    expect(await scan(notes)).toEqual([{ path: 'large', why: expect.stringContaining('storage quota') }])
    expect(notes).toEqual([expect.stringContaining('storage quota')])
    const { files } = await list()
    expect(files).toMatchObject([{ path: 'small' }])
    const { rows } = await db.pool.query<{ bytes: number }>(
      `SELECT sum(bytes)::int8 AS bytes FROM storage_changes WHERE user_id = $1 AND kind = 'artifacts'`,
      [ada.id],
    )
    expect(rows).toEqual([{ bytes: 1 << 20 }])
  })

  it('are deleted with the other files of the job', async () => {
    await write('file', 'text')
    await scan()
    await deleteFiles({ id: task.jobId, resultName: null }, null)
    expect((await list()).files).toEqual([])
    expect(await stored()).toEqual([])
  })
})
