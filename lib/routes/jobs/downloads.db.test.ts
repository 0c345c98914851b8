import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { artifactRoutes } from '../../artifacts/routes'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { contentDisposition } from '../../jobs/downloads/content-disposition'
import { jobEvents } from '../../jobs/live/events'
import { findVisibleJob } from '../../jobs/read/job-visibility'
import { artifactKey } from '../../results/name'
import { storeResult } from '../../results/result-files'
import { diskStore } from '../../storage/disk'
import { setStorage } from '../../storage/storage'
import { parts } from '../../storage/testing/contract'
import { jobRoutes } from './jobs'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let root: string
let ada: Person
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-downloads-'))
  setStorage(diskStore(root))
  ada = await makePerson()
})
afterAll(() => rm(root, { recursive: true }))
afterEach(() => {
  vi.restoreAllMocks()
})

/** A job of Ada with one artifact; with `ended`, also with a result file. */
async function jobWith(content: string | Buffer, ended = true): Promise<{ id: string; artifactId: string }> {
  const id = await makeJob({ userId: ada.id })
  if (ended)
    await db.pool.query(
      `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, attempt = 1, started_at = now(),
              ended_at = now() WHERE id = $1`,
      [id],
    )
  else await db.pool.query('UPDATE jobs SET attempt = 1 WHERE id = $1', [id])
  const artifactId = uuidv7()
  const key = artifactKey({ jobId: id, attempt: 1, rank: 0 }, artifactId)
  const stored = await diskStore(root).write(key, parts(content))
  await db.pool.query(
    `INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256) VALUES ($1, $2, 1, 0, 'data.bin', $3, $4)`,
    [artifactId, id, stored.bytes, stored.sha256],
  )
  if (ended) await storeResult(id)
  return { id, artifactId }
}

type Credential = { cookie: string } | { token: string }

function requestOf(credential: Credential, headers: Record<string, string> = {}): Request {
  const own: Record<string, string> =
    'cookie' in credential
      ? { cookie: credential.cookie, 'sec-fetch-site': 'same-origin' }
      : { authorization: `Bearer ${credential.token}` }
  return new Request('http://localhost:8001/api/x?format=jsonl', { headers: { ...own, ...headers } })
}

const params = (of: Record<string, string>) => ({ params: Promise.resolve(of) })

describe('a stored file', () => {
  const ask = async (job: { id: string; artifactId: string }, headers: Record<string, string>) => {
    const answer = await artifactRoutes.artifact(requestOf(ada, headers), params(job))
    return { answer, text: await answer.text() }
  }

  it('is sent whole with its size and its checksum, or in the requested part', async () => {
    const job = await jobWith('0123456789')
    const { answer, text } = await ask(job, {})
    expect([answer.status, text]).toEqual([200, '0123456789'])
    expect(answer.headers.get('accept-ranges')).toBe('bytes')
    expect(answer.headers.get('content-length')).toBe('10')
    const etag = answer.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
    for (const [range, part, place] of [
      ['bytes=2-4', '234', 'bytes 2-4/10'],
      ['bytes=7-', '789', 'bytes 7-9/10'],
      ['bytes=-1', '9', 'bytes 9-9/10'],
    ] as const) {
      const sent = await ask(job, { range, 'if-range': etag })
      expect([sent.answer.status, sent.text]).toEqual([206, part])
      expect(sent.answer.headers.get('content-range')).toBe(place)
      expect(sent.answer.headers.get('content-length')).toBe(String(part.length))
      expect(sent.answer.headers.get('cache-control')).toContain('no-transform')
      expect(sent.answer.headers.get('content-disposition')).toContain('attachment')
      expect(sent.answer.headers.get('content-security-policy')).toBe('sandbox')
    }
  })

  it('is sent whole if the client has a part of another file', async () => {
    const job = await jobWith('0123456789')
    for (const condition of ['"other"', 'W/"other"', 'Tue, 25 Nov 2026 10:00:00 GMT']) {
      const { answer, text } = await ask(job, { range: 'bytes=2-4', 'if-range': condition })
      expect([answer.status, text]).toEqual([200, '0123456789'])
    }
  })

  it('has no part beyond its end: 416 with its size', async () => {
    const { answer, text } = await ask(await jobWith('0123456789'), { range: 'bytes=10-' })
    expect(answer.status).toBe(416)
    expect(answer.headers.get('content-range')).toBe('bytes */10')
    expect(JSON.parse(text)).toMatchObject({
      code: 'range_not_satisfiable',
      detail: expect.stringContaining('10 bytes'),
    })
  })

  it('may be the result of a job', async () => {
    const { id } = await jobWith('x')
    const get = (headers: Record<string, string>) => jobRoutes.result(requestOf(ada, headers), params({ id }))
    const whole = await (await get({})).text()
    const part = await get({ range: 'bytes=5-20' })
    expect([part.status, await part.text()]).toEqual([206, whole.slice(5, 21)])
  })
})

/** Twice as much as the buffers between a file and a client hold. */
const large = Buffer.alloc(4 << 20, 'x')

/** Reads the beginning of a download, ends the right to it, and lets some time pass. Returns the number of bytes. */
async function readWhileEnding(answer: Response, end: () => Promise<unknown>): Promise<number> {
  const reader = answer.body?.getReader()
  if (!reader) throw new Error('The response has no body.')
  let bytes = (await reader.read()).value?.length ?? 0
  await end()
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 60_000)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return bytes
    bytes += value.length
  }
}

it('a download that nobody reads closes its file', async () => {
  const content = createReadStream(import.meta.filename)
  const answer = contentDisposition(content, { name: 'x', type: 'text/plain', mayRead: async () => true })
  await answer.body?.cancel()
  await expect.poll(() => content.destroyed).toBe(true)
})

describe('a download in progress', () => {
  it('sends nothing if the right to it ended before its first part', async () => {
    const content = parts('secret')
    const answer = contentDisposition(content, { name: 'x', type: 'text/plain', mayRead: async () => false })
    await expect(answer.body?.getReader().read()).rejects.toThrow(/has ended/)
  })

  it('ends with the rest of the file while the reader keeps the right', async () => {
    const job = await jobWith(large)
    const answer = await artifactRoutes.artifact(requestOf(ada), params(job))
    expect(await readWhileEnding(answer, async () => undefined)).toBe(large.length)
  })

  it('breaks off when its token is revoked', async () => {
    const job = await jobWith(large)
    const { token, tokenId } = await makeToken(ada)
    const answer = await artifactRoutes.artifact(requestOf({ token }), params(job))
    const revoke = () => db.pool.query('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [tokenId])
    await expect(readWhileEnding(answer, revoke)).rejects.toThrow(/has ended/)
  })

  it('breaks off when its session ends, also of an archive', async () => {
    const person = await makePerson('admin')
    const answer = await artifactRoutes.artifactArchive(requestOf(person), params(await jobWith(large)))
    const signOut = () => db.pool.query('DELETE FROM sessions WHERE user_id = $1', [person.id])
    await expect(readWhileEnding(answer, signOut)).rejects.toThrow(/has ended/)
  })

  it('breaks off when its reader is no longer an admin', async () => {
    const admin = await makePerson('admin')
    const answer = await artifactRoutes.artifact(requestOf(admin), params(await jobWith(large)))
    const demote = () => db.pool.query("UPDATE users SET role = 'researcher' WHERE id = $1", [admin.id])
    await expect(readWhileEnding(answer, demote)).rejects.toThrow(/has ended/)
  })

  it('breaks off when its reader no longer manages the project', async () => {
    const manager = await makePerson()
    const job = await jobWith(large)
    await db.pool.query(
      `INSERT INTO memberships (project_id, user_id, role) SELECT project_id, $2, 'manager' FROM jobs WHERE id = $1`,
      [job.id, manager.id],
    )
    const answer = await artifactRoutes.artifact(requestOf(manager), params(job))
    const remove = () => db.pool.query('DELETE FROM memberships WHERE user_id = $1', [manager.id])
    await expect(readWhileEnding(answer, remove)).rejects.toThrow(/has ended/)
  })

  it('continues for the owner who is no longer an admin', async () => {
    const job = await jobWith(large)
    await db.pool.query("UPDATE users SET role = 'admin' WHERE id = $1", [ada.id])
    const answer = await artifactRoutes.artifact(requestOf(ada), params(job))
    const demote = () => db.pool.query("UPDATE users SET role = 'researcher' WHERE id = $1", [ada.id])
    expect(await readWhileEnding(answer, demote)).toBe(large.length)
  })
})

it('an event stream ends when its reader is no longer an admin', async () => {
  const admin = await makePerson('admin')
  const job = await jobWith('x', false)
  const { body } = jobEvents(
    admin.actor,
    await findVisibleJob(admin.actor, job.id),
    { lastEventId: null },
    new AbortController().signal,
  )
  const reader = body?.getReader()
  const text = async () => Buffer.from((await reader?.read())?.value ?? []).toString()
  expect([await text(), await text()]).toEqual(['retry: 1000\n\n', expect.stringContaining('event: job')])
  await db.pool.query("UPDATE users SET role = 'researcher' WHERE id = $1", [admin.id])
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 10_000)
  expect(await reader?.read()).toEqual({ done: true, value: undefined })
})
