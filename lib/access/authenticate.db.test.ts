import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../database/testing/test-database'
import { authenticate } from './authenticate'
import { readSession, readSessionCookie, sessionCookie } from './sessions/session-cookie'
import { secretOfDirectory } from './sessions/session-secret'
import { makePerson, makeToken } from './testing/people'
import { hashToken } from './tokens/token-format'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const ask = (headers: Record<string, string>) =>
  authenticate(new Request('http://localhost:8001/api/jobs', { headers }))
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const refused = { code: 'unauthenticated', message: 'Invalid or expired token' }

describe('a token', () => {
  it('authenticates its user and scopes in either header', async () => {
    const person = await makePerson()
    const { token, tokenId } = await makeToken(person, ['read'])
    const actor = { userId: person.id, handle: person.handle, via: 'token', scopes: ['read'], tokenId }
    expect(await ask(bearer(token))).toMatchObject(actor)
    expect(await ask({ 'x-auth-token': token })).toMatchObject(actor)
    expect(await ask({ ...bearer(token), 'x-auth-token': token })).toMatchObject(actor)
    expect(await ask({ authorization: `bearer   ${token}` })).toMatchObject(actor)
  })

  it('is refused with the same message if unknown, expired, revoked, or of a disabled user', async () => {
    const person = await makePerson()
    const disabled = await makePerson()
    const [expired, revoked, orphaned] = [
      await makeToken(person, ['read'], '-1 second'),
      await makeToken(person),
      await makeToken(disabled),
    ]
    await db.pool.query('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [revoked.tokenId])
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [disabled.id])
    const tokens = [
      expired.token,
      revoked.token,
      orphaned.token,
      'short',
      `${revoked.token}x`,
      'x'.repeat(9000),
    ]
    for (const token of tokens) await expect(ask(bearer(token))).rejects.toMatchObject(refused)
  })

  it('is never ignored: a wrong token with a valid session is refused, and so are two different tokens', async () => {
    const person = await makePerson()
    const { token } = await makeToken(person)
    const { token: another } = await makeToken(person)
    const { cookie } = person
    await expect(ask({ cookie, ...bearer('x'.repeat(40)) })).rejects.toMatchObject(refused)
    await expect(ask({ ...bearer(token), 'x-auth-token': another })).rejects.toMatchObject({ status: 401 })
    for (const authorization of ['Basic YWxhZGRpbjpvcGVu', 'Bearer', token]) {
      await expect(ask({ authorization })).rejects.toMatchObject({ status: 401 })
    }
  })

  it('may be any string of at least 32 characters', async () => {
    const { id } = await makePerson('admin')
    const token = 'pässphrase of, a person ☃ with: spaces="x"'
    await db.pool.query(
      "INSERT INTO api_tokens (id, user_id, name, hash, hint, scopes) VALUES (gen_random_uuid(), $1, 'n', $2, 'h', '{read}')",
      [id, hashToken(token)],
    )
    // How Node's HTTP parser decodes the UTF-8 bytes of a client.
    const asSent = Buffer.from(token, 'utf8').toString('latin1')
    expect(await ask(bearer(asSent))).toMatchObject({ userId: id })
  })

  it('stores when it was last used', async () => {
    const person = await makePerson()
    const { token, tokenId } = await makeToken(person)
    await ask(bearer(token))
    const { rows } = await db.pool.query(
      `SELECT t.last_used_at IS NOT NULL AS used, u.last_seen_at IS NOT NULL AS seen
         FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE t.id = $1`,
      [tokenId],
    )
    expect(rows).toEqual([{ used: true, seen: true }])
  })
})

describe('a session', () => {
  it('authenticates its user, also among other cookies', async () => {
    const { id, cookie } = await makePerson('admin')
    const actor = { userId: id, via: 'session', role: 'admin', tokenId: null }
    expect(await ask({ cookie: `a=b; ${cookie}; c=d` })).toMatchObject(actor)
  })

  it('ends when its user is disabled, deleted, or increments the epoch', async () => {
    const ends = [
      'UPDATE users SET disabled_at = now() WHERE id = $1',
      'UPDATE users SET session_epoch = session_epoch + 1 WHERE id = $1',
      'DELETE FROM users WHERE id = $1',
    ]
    for (const end of ends) {
      const { id, cookie } = await makePerson()
      expect(await ask({ cookie })).not.toBeNull()
      await db.pool.query(end, [id])
      expect(await ask({ cookie })).toBeNull()
    }
  })

  it('cannot be forged or empty', async () => {
    const { cookie } = await makePerson()
    const [name, value = ''] = cookie.split(/=(.*)/s)
    const values = ['', 'x', value.slice(1), value.split('.').reverse().join('.'), 'e30.e30.e30']
    for (const forged of values) expect(await ask({ cookie: `${name}=${forged}` })).toBeNull()
    expect(await ask({ cookie: `x${cookie}` })).toBeNull()
    expect(await ask({})).toBeNull()
  })

  it('uses a cookie that is not accessible to scripts or other sites', async () => {
    const id = '01900000-0000-7000-8000-000000000000'
    const claims = { sub: id, sid: id }
    const line = await sessionCookie(claims)
    expect(line).toMatch(/^gpuq-session=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
    expect(await readSession(readSessionCookie(line) ?? '')).toEqual(claims)
  })
})

describe("the server's session secret", () => {
  let directory = ''
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gpuq-secret-'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  it('is created once and readable only by its owner, also by concurrent starts', async () => {
    const inside = join(directory, 'data')
    const secrets = await Promise.all(Array.from({ length: 20 }, () => secretOfDirectory(inside)))
    expect(new Set(secrets).size).toBe(1)
    expect(secrets[0]).toMatch(/^[\w-]{64}$/)
    expect(await secretOfDirectory(inside)).toBe(secrets[0])
    expect((await stat(join(inside, 'session-secret'))).mode & 0o777).toBe(0o600)
    expect(await readdir(inside)).toEqual(['session-secret'])
  })

  it('is refused if its file was truncated', async () => {
    await writeFile(join(directory, 'session-secret'), 'short')
    await expect(secretOfDirectory(directory)).rejects.toThrow('fewer than 32 characters')
  })
})
