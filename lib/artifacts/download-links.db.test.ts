import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { endSession, endSessions } from '../access/sessions/sessions'
import { call } from '../access/testing/call'
import { findStored, makePerson, makeToken, type Person } from '../access/testing/people'
import { revokeToken } from '../access/tokens/tokens'
import { makeJob } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { artifactKey } from '../results/name'
import { storeResult } from '../results/result-files'
import { diskStore } from '../storage/disk'
import { setStorage } from '../storage/storage'
import { parts } from '../storage/testing/contract'
import type { CreatedLink, DownloadLink } from './contract-links'
import { deleteEndedLinks } from './download-links'
import { artifactRoutes } from './routes'
import { signClaims } from './signed-links'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let root: string
let ada: Person
let job = ''
let artifact = ''

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-links-'))
  setStorage(diskStore(root))
})
afterAll(() => rm(root, { recursive: true }))
beforeEach(async () => {
  ada = await makePerson()
  job = await makeEndedJob(ada)
  artifact = await addArtifact('model.bin', 'weights')
})

async function makeEndedJob({ id: userId }: Person): Promise<string> {
  const id = await makeJob({ userId })
  await db.pool.query(
    `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, attempt = 1, started_at = now(),
            ended_at = now() WHERE id = $1`,
    [id],
  )
  await storeResult(id)
  return id
}

async function addArtifact(path: string, content: string | Buffer): Promise<string> {
  const id = uuidv7()
  const key = artifactKey({ jobId: job, attempt: 1, rank: 0 }, id)
  const stored = await diskStore(root).write(key, parts(content))
  await db.pool.query(
    'INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256) VALUES ($1, $2, 1, 0, $3, $4, $5)',
    [id, job, path, stored.bytes, stored.sha256],
  )
  return id
}

type Who = { cookie?: string; token?: string }
const create = (who: Who, body: object = { file: artifact }, id = job) =>
  call(artifactRoutes.link, `/api/jobs/${id}/links`, { method: 'POST', body, ...who, params: { id } })
async function created(who: Who, body: object = { file: artifact }, id = job): Promise<CreatedLink> {
  const answer = await create(who, body, id)
  expect(answer.status).toBe(201)
  return answer.body as CreatedLink
}
const list = async (who: Who) =>
  (await call(artifactRoutes.links, `/api/jobs/${job}/links`, { ...who, params: { id: job } }))
    .body as DownloadLink[]
const revoke = async (who: Who, linkId: string) =>
  (
    await call(artifactRoutes.revokeLink, `/api/jobs/${job}/links/${linkId}`, {
      method: 'DELETE',
      ...who,
      params: { id: job, linkId },
    })
  ).status
const follow = (url: string) => artifactRoutes.followLink(new Request(url), { params: Promise.resolve({}) })
const works = async ({ url }: Pick<CreatedLink, 'url'>) => (await follow(url)).status
const events = async (action: string) =>
  (
    await db.pool.query('SELECT target, detail FROM audit_events WHERE action = $1 AND actor_id = $2', [
      action,
      ada.id,
    ])
  ).rows

describe('a download link', () => {
  it('gives access to one file until it expires, and its secret is stored nowhere', async () => {
    const link = await created(ada)
    const response = await follow(link.url)
    expect(await response.text()).toBe('weights')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="model.bin"')
    expect(response.headers.get('content-security-policy')).toBe('sandbox')
    const secret = new URL(link.url).searchParams.get('link') ?? ''
    expect(await findStored([secret])).toEqual([])
    const result = await created(ada, { file: 'result', expires_in: 60 })
    expect(await (await follow(result.url)).text()).toContain('"type":"exit"')

    const refused = await follow(link.url.slice(0, -1))
    expect(refused.status).toBe(403)
    expect(((await refused.json()) as { detail: string }).detail).toMatch(/does not work/)
    await db.pool.query('UPDATE download_links SET expires_at = now() WHERE id = $1', [link.id])
    expect([await works(link), await works(result)]).toEqual([403, 200])
    expect(await create(ada, { file: uuidv7() })).toMatchObject({ status: 404 })
  })

  it('needs the scope submit, and the right to change the job', async () => {
    const { token } = await makeToken(ada, ['read'])
    expect(await create({ token })).toMatchObject({ status: 403 })
    expect(await create({ token: (await makeToken(ada, ['submit'])).token })).toMatchObject({ status: 201 })
    const other = await makePerson()
    expect(await create(other)).toMatchObject({ status: 404 })
    const link = await created(ada)
    expect(await revoke(other, link.id)).toBe(404)
    expect(await works(link)).toBe(200)
  })

  it('is listed, revocable and audited', async () => {
    const { token } = await makeToken(ada)
    const [link, other] = [await created({ token }), await created(ada, { file: 'result', expires_in: 60 })]
    const { url: _, ...shown } = link
    expect(shown).toMatchObject({
      file: artifact,
      path: 'model.bin',
      created_by: ada.handle,
      made_with: 'of a test',
    })
    expect(await list(ada)).toEqual([
      expect.objectContaining({ id: other.id, file: 'result', path: null, made_with: null }),
      shown,
    ])
    expect(await events('download_link_created')).toMatchObject([
      { target: job, detail: { link: link.id, file: 'model.bin' } },
      { target: job, detail: { link: other.id, file: 'result', expires_in: 60 } },
    ])
    expect(await revoke(ada, link.id)).toBe(204)
    expect([await works(link), await works(other)]).toEqual([403, 200])
    expect((await list(ada)).map(({ id }) => id)).toEqual([other.id])
    expect(await events('download_link_revoked')).toEqual([{ target: job, detail: { link: link.id } }])
    expect([await revoke(ada, link.id), await revoke(ada, 'x')]).toEqual([404, 404])
  })

  it('ends with the token that made it', async () => {
    const { token, tokenId } = await makeToken(ada)
    const [own, other] = [await created({ token }), await created(ada)]
    await revokeToken(ada.actor, tokenId)
    expect([await works(own), await works(other)]).toEqual([403, 200])
    expect((await list(ada)).map(({ id }) => id)).toEqual([other.id])
    const short = await makeToken(ada)
    const expiring = await created({ token: short.token })
    await db.pool.query('UPDATE api_tokens SET expires_at = now() WHERE id = $1', [short.tokenId])
    expect(await works(expiring)).toBe(403)
  })

  it('ends with the session that made it: sign out, sign out everywhere, a new password', async () => {
    const first = await created(ada)
    await endSession(ada.actor, ada.actor.sessionId ?? '')
    expect(await works(first)).toBe(403)
    const bob = await makePerson()
    job = await makeEndedJob(bob)
    const [second, ofToken] = [
      await created(bob, { file: 'result' }),
      await created({ token: (await makeToken(bob)).token }, { file: 'result' }),
    ]
    await endSessions(bob.actor, { keepCurrent: false })
    expect([await works(second), await works(ofToken)]).toEqual([403, 200])
    const eve = await makePerson()
    job = await makeEndedJob(eve)
    const third = await created(eve, { file: 'result' })
    await db.pool.query('UPDATE users SET session_epoch = session_epoch + 1 WHERE id = $1', [eve.id])
    expect(await works(third)).toBe(403)
  })

  it('ends with the rights of its creator', async () => {
    const admin = await makePerson('admin')
    const link = await created(admin)
    expect(await works(link)).toBe(200)
    await db.pool.query("UPDATE users SET role = 'researcher' WHERE id = $1", [admin.id])
    expect(await works(link)).toBe(404)
    const own = await created(ada)
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [ada.id])
    expect(await works(own)).toBe(403)
  })

  it('a download link that was made by an admin needs the scope admin of its token', async () => {
    const admin = await makePerson('admin')
    const { token, tokenId } = await makeToken(admin, ['submit', 'read', 'admin'])
    const link = await created({ token })
    expect(await works(link)).toBe(200)
    await db.pool.query("UPDATE api_tokens SET scopes = '{submit,read}' WHERE id = $1", [tokenId])
    expect(await works(link)).toBe(404)
  })

  it('a download link that is revoked breaks off a download', async () => {
    artifact = await addArtifact('large.bin', Buffer.alloc(16 * 1024 * 1024, 1))
    const link = await created(ada)
    const response = await follow(link.url)
    const reader = response.body?.getReader()
    await reader?.read()
    await revoke(ada, link.id)
    // The right is checked again after two seconds.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000)
    const rest = async () => {
      while (!(await reader?.read())?.done);
    }
    await expect(rest()).rejects.toThrow()
    vi.restoreAllMocks()
  })

  it('is one of at most 1000 of a user, also concurrently; ended ones are deleted', async () => {
    const link = await created(ada)
    await db.pool.query(
      `INSERT INTO download_links (id, hash, job_id, created_by_id, session_id, expires_at)
       SELECT gen_random_uuid(), decode(md5($1::text || n), 'hex'), $1::uuid, $2, $3, now() + interval '1 day'
         FROM generate_series(1, 997) n`,
      [job, ada.id, ada.actor.sessionId],
    )
    const answers = await Promise.all(Array.from({ length: 4 }, () => create(ada)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
    // Links that ended with their session, which no list shows, do not count.
    const ended = await makeToken(ada)
    await db.pool.query(
      'UPDATE download_links SET token_id = $3, session_id = NULL WHERE created_by_id = $1 AND id <> $2',
      [ada.id, link.id, ended.tokenId],
    )
    await db.pool.query('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [ended.tokenId])
    expect(await create(ada)).toMatchObject({ status: 201 })
    await db.pool.query(
      'UPDATE download_links SET expires_at = now() WHERE created_by_id = $1 AND id <> $2',
      [ada.id, link.id],
    )
    await deleteEndedLinks()
    const { rowCount } = await db.pool.query('SELECT 1 FROM download_links WHERE created_by_id = $1', [
      ada.id,
    ])
    expect(rowCount).toBe(1)
  })
})

describe('a link that an earlier version signed', () => {
  const signed = async (changes: object = {}) => {
    const claims = { job, file: artifact, user: ada.id, expires: String(Math.floor(Date.now() / 1000) + 60) }
    const given = { ...claims, ...changes }
    const signature = (await signClaims({ ...claims, expires: given.expires })).toString('base64url')
    return `http://localhost:8001/api/download?${new URLSearchParams({ signature, ...given })}`
  }

  it('works until it expires, and only unchanged', async () => {
    expect(await (await follow(await signed())).text()).toBe('weights')
    for (const change of [
      { job: uuidv7() },
      { file: 'result' },
      { user: uuidv7() },
      { signature: 'AAAA' },
      { signature: '' },
    ])
      expect((await follow(await signed(change))).status).toBe(403)
    const past = String(Math.floor(Date.now() / 1000) - 1)
    expect((await follow(await signed({ expires: past }))).status).toBe(403)
    expect((await follow('http://localhost:8001/api/download')).status).toBe(403)
  })
})
