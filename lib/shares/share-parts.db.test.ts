import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, type Person } from '../access/testing/people'
import { artifactRoutes } from '../artifacts/routes'
import { finishTask } from '../cluster/tasks/finish-task'
import { appendOutput } from '../cluster/tasks/task-progress'
import { unfinishedTasks } from '../cluster/tasks/tasks'
import { placeManually } from '../cluster/testing/placed'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import type { ApiHandler } from '../http/route'
import { metricRoutes } from '../metrics/routes'
import { OutputEncoder } from '../results/encode'
import { artifactKey } from '../results/name'
import { diskStore } from '../storage/disk'
import { setStorage } from '../storage/storage'
import { parts } from '../storage/testing/contract'
import type { CreatedShare, ShareParts } from './contract'
import { countLinkRequest } from './link-requests'
import { shareRoutes } from './routes'
import { openShare, readSharedJob } from './shared-job'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let root: string
let ada: Person
let job: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-shares-'))
  setStorage(diskStore(root))
  ada = await makePerson()
})
beforeEach(async () => {
  job = await runningJob()
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => rm(root, { recursive: true }))

const printed = 'step one\n{"step":1,"loss":2}\n{"step":2,"loss":0.5}\n'

/** A job of Ada that has printed metrics. */
async function runningJob(): Promise<string> {
  const id = await makeJob({ userId: ada.id })
  const lease = await makeNode()
  await placeManually(lease.nodeId, id)
  const [task] = await unfinishedTasks(lease)
  if (!task) throw new Error('The task does not exist.')
  const at = new Date('2026-11-23T10:00:00.000Z')
  const { bytes } = new OutputEncoder({ limitBytes: 1 << 30 }).feed('stdout', Buffer.from(printed), at)
  await appendOutput(lease, task, { start: 0, records: bytes, stdoutConsumed: 0, stderrConsumed: 0 })
  return id
}

async function endedJob(): Promise<string> {
  const lease = await makeNode()
  const id = await makeJob({ userId: ada.id })
  await placeManually(lease.nodeId, id)
  const [task] = await unfinishedTasks(lease)
  if (!task) throw new Error('The task does not exist.')
  await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
  return id
}

/** Stores a file in /results. Returns its id. */
async function leaveFile(jobId: string, path: string, content: string | Buffer): Promise<string> {
  const id = uuidv7()
  const { attempt } = (await db.pool.query('SELECT attempt FROM jobs WHERE id = $1', [jobId])).rows[0]
  const key = artifactKey({ jobId, attempt, rank: 0 }, id)
  const { bytes, sha256 } = await diskStore(root).write(key, parts(content))
  await db.pool.query(
    'INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256) VALUES ($1, $2, $3, 0, $4, $5, $6)',
    [id, jobId, attempt, path, bytes, sha256],
  )
  return id
}

const all = { output: true, metrics: true, files: true }
const none = { output: false, metrics: false, files: false, source: false }

async function share(body: Partial<ShareParts> = all, id = job): Promise<CreatedShare & { token: string }> {
  const options = { method: 'POST', body, cookie: ada.cookie, params: { id } }
  const made = (await call(shareRoutes.create, `/api/jobs/${id}/shares`, options)).body as CreatedShare
  return { ...made, token: made.url.split('/').at(-1) ?? '' }
}

const revoke = (shareId: string) =>
  call(shareRoutes.revoke, `/api/jobs/${job}/shares/${shareId}`, {
    method: 'DELETE',
    cookie: ada.cookie,
    params: { id: job, shareId },
  })

interface Options {
  address?: string
  query?: string
  headers?: Record<string, string>
  artifactId?: string
}

let addresses = 0
/** Each request comes from another address, so that no limit counts it. */
const ask = (
  handler: ApiHandler,
  token: string,
  { address = `address ${addresses++}`, query = '', headers = {}, artifactId = '' }: Options = {},
) =>
  handler(
    new Request(`http://localhost:8001/api/x${query}`, {
      headers: { 'x-forwarded-for': address, ...headers },
    }),
    { params: Promise.resolve({ token, artifactId }) },
  )
const asAda = (query = '', headers: Record<string, string> = {}) =>
  new Request(`http://localhost:8001/api/x${query}`, {
    headers: { cookie: ada.cookie, 'sec-fetch-site': 'same-origin', ...headers },
  })
const params = (of: Record<string, string>) => ({ params: Promise.resolve(of) })
const json = async (answer: Response) => (await answer.json()) as Record<string, unknown>

/** Every request for a part, by the part that it needs. */
const requests = {
  output: [(token: string) => ask(shareRoutes.output, token)],
  metrics: [
    (token: string) => ask(shareRoutes.metrics, token),
    (token: string) => ask(shareRoutes.metricsCsv, token, { query: '?names=loss' }),
  ],
  files: [
    (token: string) => ask(shareRoutes.artifacts, token),
    (token: string) => ask(shareRoutes.artifactArchive, token),
    (token: string, artifactId: string) => ask(shareRoutes.artifact, token, { artifactId }),
    (token: string, artifactId: string) => ask(shareRoutes.artifactPreview, token, { artifactId }),
  ],
}

async function statusesOf(token: string, artifactId: string) {
  const answers = Object.entries(requests).map(async ([part, all]) => {
    const statuses = []
    for (const request of all) {
      const answer = await request(token, artifactId)
      await answer.body?.cancel()
      statuses.push(answer.status)
    }
    return [part, [...new Set(statuses)].join()]
  })
  return Object.fromEntries(await Promise.all(answers))
}

const pageOf = async (token: string) => readSharedJob(await openShare(token, `address ${addresses++}`))

describe('what a read-only link shows', () => {
  it.each(['output', 'metrics', 'files'] as const)('is only %s if only that was chosen', async (part) => {
    const file = await leaveFile(job, 'a.txt', 'a')
    const { token } = await share({ ...none, [part]: true })
    const expected = { output: '404', metrics: '404', files: '404', [part]: '200' }
    expect(await statusesOf(token, file)).toEqual(expected)
    expect((await pageOf(token)).shows).toEqual({ ...all, ...none, source: undefined, [part]: true })
  })

  it('is what it showed before, for a link that is older than the choice', async () => {
    const file = await leaveFile(job, 'secret-plan.txt', 'a')
    const token = 'a-token-of-an-earlier-version'
    await db.pool.query(
      `INSERT INTO job_shares (id, job_id, hash, source, created_by_id, expires_at)
       VALUES ($1, $2, $3, false, $4, now() + interval '1 day')`,
      [uuidv7(), job, createHash('sha256').update(token).digest(), ada.id],
    )
    expect(await statusesOf(token, file)).toEqual({ output: '200', metrics: '404', files: '404' })
    const page = await pageOf(token)
    expect(page).toMatchObject({ output: printed, shows: { output: true, metrics: false, files: false } })
    expect(JSON.stringify(page)).not.toContain('secret-plan')
    const listed = await call(shareRoutes.list, '/api/x', { cookie: ada.cookie, params: { id: job } })
    expect(listed.body).toMatchObject([{ output: true, metrics: false, files: false, source: false }])
  })

  it('has no files for a program that does not name them', async () => {
    expect(await share({})).toMatchObject({ output: true, metrics: true, files: false, source: false })
    const { rows } = await db.pool.query('SELECT detail FROM audit_events WHERE target = $1', [job])
    expect(rows).toMatchObject([{ detail: { output: true, metrics: true, files: false, source: false } }])
  })

  it('says which part is missing, and not whether the job has it', async () => {
    const { token } = await share({ ...none })
    const { detail } = await json(await ask(shareRoutes.artifacts, token))
    expect(detail).toMatch(/does not show the files/)
  })

  it('is nothing that the job printed, if only the facts were chosen', async () => {
    const { token } = await share({ ...none })
    expect(await pageOf(token)).toMatchObject({ output: '', results: [], shows: { output: false } })
    const answer = await ask(shareRoutes.events, token)
    const reader = answer.body?.getReader()
    let text = ''
    while (!text.includes('event: job')) text += Buffer.from((await reader?.read())?.value ?? []).toString()
    await reader?.cancel()
    expect(text).toContain('"status":"running"')
    expect(text).not.toContain('event: output')
    expect(text).not.toContain('loss')
  })

  it('has no part of an ended job that the job does not have', async () => {
    const empty = await endedJob()
    const { token } = await share(all, empty)
    expect((await pageOf(token)).shows).toEqual({ output: true, metrics: false, files: false })
    await leaveFile(empty, 'a.txt', 'a')
    await db.pool.query(`UPDATE jobs SET result_stored = true, final_metrics = '{"loss": 1}' WHERE id = $1`, [
      empty,
    ])
    expect((await pageOf(token)).shows).toEqual(all)
  })
})

describe('the files of a read-only link', () => {
  const png = Buffer.from(
    '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63646060f80f0002870180eb47ba920000000049454e44ae426082',
    'hex',
  )

  it('are listed and previewed as on the page of the job, without its id', async () => {
    const note = await leaveFile(job, 'note.md', '# hello')
    await leaveFile(job, 'plot.png', png)
    const { token } = await share()
    const own = await json(await artifactRoutes.artifacts(asAda(), params({ id: job })))
    const list = await json(await ask(shareRoutes.artifacts, token))
    expect(list).toEqual({ artifacts: own.artifacts })
    expect(JSON.stringify(list)).not.toContain(job)
    expect(await json(await ask(shareRoutes.artifactPreview, token, { artifactId: note }))).toEqual(
      await json(await artifactRoutes.artifactPreview(asAda(), params({ id: job, artifactId: note }))),
    )
  })

  it.each([
    ['a page of HTML', 'evil.html', '<script>alert(1)</script>', '', {}],
    ['a picture', 'plot.png', png, '?as=image', {}],
    ['a picture that is HTML', 'evil.png', '<script>alert(1)</script>', '?as=image', {}],
    ['a part', 'model.bin', '0123456789', '', { range: 'bytes=2-4' }],
  ])('are answered with the headers of the page of the job: %s', async (_, path, content, query, headers) => {
    const artifactId = await leaveFile(job, path, content)
    const { token } = await share()
    const own = await artifactRoutes.artifact(asAda(query, headers), params({ id: job, artifactId }))
    const shared = await ask(shareRoutes.artifact, token, { artifactId, query, headers })
    expect(shared.status).toBe(own.status)
    expect([...shared.headers]).toEqual([...own.headers])
    expect(Buffer.from(await shared.arrayBuffer())).toEqual(Buffer.from(await own.arrayBuffer()))
    if (!own.ok) return
    expect(Object.fromEntries(shared.headers)).toMatchObject({
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringMatching(/^attachment; /),
    })
  })

  it('are one archive, whose name does not have the id of the job', async () => {
    await leaveFile(job, 'deep/a.txt', 'what is in it')
    const answer = await ask(shareRoutes.artifactArchive, (await share()).token)
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="results.tar"')
    expect(answer.headers.get('content-security-policy')).toBe('sandbox')
    const text = await answer.text()
    expect(text).toContain('what is in it')
    expect(text).not.toContain(job)
  })

  it('are only those of the job', async () => {
    const other = await leaveFile(await runningJob(), 'other.txt', 'other')
    const { token } = await share()
    for (const artifactId of [other, uuidv7(), '../../x', '..%2f..%2fetc%2fpasswd', 'note.md', '\0', '']) {
      for (const handler of [shareRoutes.artifact, shareRoutes.artifactPreview])
        expect((await ask(handler, token, { artifactId })).status).toBe(404)
    }
    expect(await json(await ask(shareRoutes.artifacts, token))).toEqual({ artifacts: [] })
  })

  it('end when the files are deleted, without the retention of the project', async () => {
    const artifactId = await leaveFile(job, 'a.txt', 'a')
    const { token } = await share()
    await db.pool.query(
      `UPDATE jobs SET files_deleted = 'retention', deleted_after_days = 17 WHERE id = $1`,
      [job],
    )
    expect(await statusesOf(token, artifactId)).toEqual({ output: '404', metrics: '404', files: '404' })
    const { detail } = await json(await ask(shareRoutes.artifact, token, { artifactId }))
    expect(detail).toBe('The files of this job were deleted.')
    expect((await pageOf(token)).shows).toEqual({ output: true, metrics: false, files: false })
  })

  it('are limited for each address: downloads at the same time', async () => {
    const artifactId = await leaveFile(job, 'a.txt', 'a')
    const { token } = await share()
    const get = (address = 'a busy address') => ask(shareRoutes.artifact, token, { artifactId, address })
    const open: Response[] = []
    const close = async () => {
      for (const { body } of open.splice(0)) await body?.cancel()
    }
    for (let nth = 0; nth < 128; nth++) open.push(await get())
    open.push(await get('another address'))
    expect([...new Set(open.map(({ status }) => status))]).toEqual([200])
    expect((await get()).status).toBe(429)
    await close()
    // A refusal keeps no place.
    for (let nth = 0; nth < 200; nth++)
      await ask(shareRoutes.artifact, token, { artifactId: uuidv7(), address: 'a busy address' })
    open.push(await get())
    expect(open[0]?.status).toBe(200)
    await close()
  })

  it('are limited for each address: requests', async () => {
    const { token } = await share()
    const address = 'a robot'
    for (let nth = 0; nth < 2_999; nth++) countLinkRequest('parts', { address })
    expect((await ask(shareRoutes.artifacts, token, { address })).status).toBe(200)
    for (const request of [
      shareRoutes.artifacts,
      shareRoutes.metrics,
      shareRoutes.artifact,
      shareRoutes.artifactPreview,
    ])
      expect((await ask(request, token, { address, artifactId: uuidv7() })).status).toBe(429)
    expect((await ask(shareRoutes.artifacts, token)).status).toBe(200)
  })

  it('keep no file open for HEAD', async () => {
    const artifactId = await leaveFile(job, 'a.txt', 'a')
    const { token } = await share()
    for (let nth = 0; nth < 200; nth++) {
      const answer = await shareRoutes.artifact(
        new Request('http://localhost:8001/api/x', {
          method: 'HEAD',
          headers: { 'x-forwarded-for': 'a curious address' },
        }),
        params({ token, artifactId }),
      )
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-length')).toBe('1')
      expect(answer.body).toBeNull()
    }
  })
})

describe('the metrics of a read-only link', () => {
  it('are those of the page of the job, and follow it', async () => {
    const { token } = await share()
    const query = '?names=loss&x=step'
    const own = await json(await metricRoutes.metrics(asAda(query), params({ id: job })))
    expect(own).toMatchObject({ series: [{ name: 'loss', x: [1, 2], y: [2, 0.5] }] })
    const shared = await json(await ask(shareRoutes.metrics, token, { query }))
    expect(shared).toEqual(own)
    expect(JSON.stringify(shared)).not.toContain(job)
  })

  it('are one CSV file, whose name does not have the id of the job', async () => {
    const answer = await ask(shareRoutes.metricsCsv, (await share()).token, { query: '?names=loss' })
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="metrics.csv"')
    expect(await answer.text()).toMatch(/^line,time,loss\r\n.*,2\r\n.*,0\.5\r\n$/)
  })
})

describe('a read-only link that is revoked or expires', () => {
  const ends = {
    'is revoked': ({ id }: CreatedShare) => revoke(id),
    expires: ({ id }: CreatedShare) =>
      db.pool.query(`UPDATE job_shares SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]),
  }
  it.each(['is revoked', 'expires'] as const)('gives no part any more after it %s', async (end) => {
    const artifactId = await leaveFile(job, 'a.txt', 'a')
    const link = await share()
    expect(await statusesOf(link.token, artifactId)).toEqual({ output: '200', metrics: '200', files: '200' })
    await ends[end](link)
    expect(await statusesOf(link.token, artifactId)).toEqual({ output: '404', metrics: '404', files: '404' })
  })

  it('breaks off the downloads in progress', async () => {
    const artifactId = await leaveFile(job, 'model.bin', Buffer.alloc(4 << 20, 'x'))
    const link = await share()
    const downloads = [
      await ask(shareRoutes.artifact, link.token, { artifactId }),
      await ask(shareRoutes.artifactArchive, link.token),
    ]
    const readers = downloads.map(({ body }) => body?.getReader())
    for (const reader of readers) expect((await reader?.read())?.done).toBe(false)
    await revoke(link.id)
    const later = performance.now() + 60_000
    vi.spyOn(performance, 'now').mockReturnValue(later)
    for (const reader of readers) {
      const rest = async () => {
        while (!(await reader?.read())?.done);
      }
      await expect(rest()).rejects.toThrow(/has ended/)
    }
  })
})
