import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import tar from 'tar-stream'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { deleteJobFiles } from '../../jobs/lifecycle/delete-files'
import { artifactKey } from '../../results/name'
import { storeResult } from '../../results/result-files'
import { setFreeBytes } from '../../storage/free-space'
import { storage } from '../../storage/storage'
import { parts } from '../../storage/testing/contract'
import { releaseMembers } from '../release-members'
import { groupRoutes } from '../routes'
import { directoryOf, downloadGroup } from './download-group'

const directory = await vi.hoisted(async () => {
  const { mkdtempSync } = await import('node:fs')
  const made = mkdtempSync(`${process.env.TMPDIR ?? '/tmp'}/gpuq-group-`)
  vi.stubEnv('GPUQ_DATA_DIR', made)
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  return made
})
afterAll(() => rm(directory, { recursive: true }))

const db = testDatabase()
let [ada, bob, admin] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  ;[ada, bob, admin] = [await makePerson(), await makePerson(), await makePerson('admin')]
  await db.pool.query('UPDATE users SET submissions_per_minute = 1000, max_active_jobs = 100')
  // The first job creates an environment.
  await makeJob()
})
beforeEach(() => db.pool.query('TRUNCATE job_groups, jobs, active_job_changes CASCADE'))

const base = { competition_id: 'c', project_id: 'p', expected_time: 10, command: 'python train.py' }

/** Submits a group whose first members, as many as `parallel` says, have a job. */
async function create(config: object): Promise<string> {
  const { body } = await call(groupRoutes.create, '/api/groups', {
    method: 'POST',
    body: { config: { ...base, ...config } },
    cookie: ada.cookie,
  })
  while (await releaseMembers());
  return (body as { group_id: string }).group_id
}

const jobOf = async (id: string, index: number): Promise<string> =>
  (await db.pool.query('SELECT job_id FROM group_members WHERE group_id = $1 AND index = $2', [id, index]))
    .rows[0].job_id

/** Ends the job of a member, which has left a file with these characters in /results; null: none. */
async function end(id: string, index: number, content: string | null, metrics = {}): Promise<string> {
  const job = await jobOf(id, index)
  await db.pool.query(
    `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, attempt = 1, started_at = now(), ended_at = now()
      WHERE id = $1`,
    [job],
  )
  if (content !== null) {
    const artifact = uuidv7()
    const key = artifactKey({ jobId: job, attempt: 1, rank: 0 }, artifact)
    const stored = await storage().write(key, parts(content))
    await db.pool.query(
      `INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256) VALUES ($1, $2, 1, 0, 'a/model.pt', $3, $4)`,
      [artifact, job, stored.bytes, stored.sha256],
    )
  }
  await storeResult(job)
  await db.pool.query('UPDATE jobs SET final_metrics = $2 WHERE id = $1', [job, metrics])
  return job
}

const ask = (id: string, { cookie }: Person = ada) =>
  groupRoutes.files(
    new Request(`http://localhost:8001/api/groups/${id}/files.tar`, {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    }),
    { params: Promise.resolve({ id }) },
  )

/** The files of an archive, by their names. */
async function unpack(answer: Response): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  const reader = tar.extract()
  const read = pipeline(Readable.fromWeb(answer.body as ReadableStream<Uint8Array>), reader)
  read.catch(() => {})
  for await (const entry of reader) files[entry.header.name] = await text(entry)
  await read
  return files
}

it('the download of a group has its description, the table of its members, and the files of those that have ended', async () => {
  const id = await create({
    matrix: { lr: [0.1, 0.01], opt: ['a b', '../x'] },
    parallel: 3,
    objective: { metric: 'loss', mode: 'min' },
  })
  const first = await end(id, 0, 'weights', { loss: 0.5, 'train.acc': 1 })
  await end(id, 1, null, { loss: 0.25 })
  const answer = await ask(id)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${id}.tar"`)
  const files = await unpack(answer)
  expect(Object.keys(files)).toEqual([
    'group.json',
    'members.csv',
    '0000-lr=0.1-opt=a_b/output.jsonl',
    '0000-lr=0.1-opt=a_b/results/a/model.pt',
    '0001-lr=0.1-opt=.._x/output.jsonl',
  ])
  expect(JSON.parse(files['group.json'] ?? '')).toMatchObject({ group_id: id, best: { index: 1 } })
  const lines = (files['members.csv'] ?? '').split('\r\n')
  expect(lines.map((line) => line.split(',').toSpliced(6, 2).join(','))).toEqual([
    'member,lr,opt,repeat,status,loss,job_id,directory',
    `0,0.1,a b,0,completed,0.5,${first},0000-lr=0.1-opt=a_b`,
    `1,0.1,../x,0,completed,0.25,${await jobOf(id, 1)},0001-lr=0.1-opt=.._x`,
    `2,0.01,a b,0,pending,,${await jobOf(id, 2)},`,
    `3,0.01,../x,0,held,,${await jobOf(id, 3)},`,
    '',
  ])
  expect(files['0000-lr=0.1-opt=a_b/results/a/model.pt']).toBe('weights')
  expect(files['0000-lr=0.1-opt=a_b/output.jsonl']).toContain(first)
})

it('the download of a group whose members have no files, or no more, has only its description and the table', async () => {
  const id = await create({ array: '0-2', parallel: 2 })
  const job = await end(id, 0, 'weights')
  await deleteJobFiles(ada.actor, job)
  const files = await unpack(await ask(id))
  expect(Object.keys(files)).toEqual(['group.json', 'members.csv'])
  expect((files['members.csv'] ?? '').split('\r\n').slice(0, 3)).toEqual([
    'member,index,repeat,status,run_seconds,job_id,directory',
    `0,0,0,completed,0,${job},`,
    `1,1,0,pending,,${await jobOf(id, 1)},`,
  ])
})

it('a large group is read page by page as its client takes it, and no further when the client has left', async () => {
  const id = await create({ array: '0-249', parallel: 1 })
  await end(id, 0, 'weights')
  expect((await unpack(await ask(id)))['members.csv']?.split('\r\n')).toHaveLength(252)
  const left = new AbortController()
  const answer = await downloadGroup(ada.actor, id, left.signal)
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  const query = vi.spyOn(db.pool, 'query')
  await reader.read()
  left.abort()
  await expect(
    (async () => {
      while (!(await reader.read()).done);
    })(),
  ).rejects.toThrow('abort')
  const pages = query.mock.calls.filter(([statement]) => String(statement).includes('m.index > $2'))
  expect(pages).toHaveLength(0)
})

it('the download of a group reads the files of those members only that have any', async () => {
  const id = await create({ array: '0-49', parallel: 50 })
  await end(id, 7, 'weights')
  const query = vi.spyOn(db.pool, 'query')
  onTestFinished(() => query.mockRestore())
  expect(Object.keys(await unpack(await ask(id)))).toContain('0007-index=7/output.jsonl')
  const reads = query.mock.calls.filter(([text]) => String(text).includes('FROM result_files WHERE job_id'))
  expect(reads).toHaveLength(1)
})

it('the download of a group is for those who see the group', async () => {
  const id = await create({ array: '0-1' })
  expect((await ask(id, admin)).status).toBe(200)
  expect((await ask(id, bob)).status).toBe(404)
  expect((await ask(uuidv7())).status).toBe(404)
  const restriction = { projects: [{ id: uuidv7(), slug: 'other' }], agent: null }
  const restricted = { ...ada.actor, restriction }
  await expect(downloadGroup(restricted, id, new AbortController().signal)).rejects.toThrow(
    'You have no group',
  )
})

it('the download of a group says that the disk of the server is almost full, and does not break off later', async () => {
  const id = await create({ array: '0-1' })
  setFreeBytes(async () => 0)
  onTestFinished(() => setFreeBytes(null))
  const answer = await ask(id)
  expect(answer.status).toBe(507)
  expect(await answer.json()).toMatchObject({
    code: 'insufficient_storage',
    detail: expect.stringContaining('Download the files from the pages of the jobs'),
  })
})

it('the directory of a member begins with its number, and is short and safe on every disk', () => {
  expect(directoryOf({ index: 3, parameters: { lr: 0.1, seed: 2 }, repeat: 0 })).toBe('0003-lr=0.1-seed=2')
  expect(directoryOf({ index: 9999, parameters: {}, repeat: 1 })).toBe('9999-repeat=1')
  const long = directoryOf({ index: 1, parameters: { path: 'C:\\ü/..'.repeat(50) }, repeat: 0 })
  expect(long).toMatch(/^0001-path=C_[\w.=+-]*[\w=+-]$/)
  expect(long.length).toBeLessThanOrEqual(80)
})
