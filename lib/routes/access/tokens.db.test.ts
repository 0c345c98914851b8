import { describe, expect, it, vi } from 'vitest'
import { call, readPages } from '../../access/testing/call'
import { findStored, makePerson, makeToken } from '../../access/testing/people'
import { createdTokenSchema, tokenSchema } from '../../contract/access/access'
import type { Scope } from '../../contract/access/roles'
import { testDatabase } from '../../database/testing/test-database'
import { tokenRoutes } from './tokens'
import { userRoutes } from './users'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

type Who = { cookie?: string; token?: string }
const make = (who: Who, body: object) =>
  call(tokenRoutes.create, '/api/tokens', { method: 'POST', body: { name: 'laptop', ...body }, ...who })
const revoke = async (who: Who, id: string) =>
  (await call(tokenRoutes.revoke, `/api/tokens/${id}`, { method: 'DELETE', params: { id }, ...who })).status
const list = async (who: Who, query = '') => {
  const { status, body } = await call(tokenRoutes.list, `/api/tokens${query}`, who)
  return status === 200 ? tokenSchema.array().parse(body) : status
}

describe('creating a token', () => {
  it('shows the token once, makes it valid at once, and does not store it', async () => {
    const { cookie, handle } = await makePerson()
    const { status, body, headers } = await make({ cookie }, {})
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    const made = createdTokenSchema.parse(body)
    expect(made).toMatchObject({
      user_id: handle,
      user_name: null,
      created_by: handle,
      scopes: ['submit', 'read'],
      revoked_at: null,
    })
    const days = (Date.parse(made.expires_at ?? '') - Date.parse(made.created_at)) / 86_400_000
    expect(days).toBeCloseTo(90, 5)
    expect((await call(userRoutes.me, '/api/users/me', { token: made.token })).status).toBe(200)
    expect(JSON.stringify(await list({ cookie }))).not.toContain(made.token)
    expect(await findStored([made.token])).toEqual([])
  })

  it('needs no action of the user: an admin creates the tokens of a class', async () => {
    const admin = await makePerson('admin')
    const { token } = await makeToken(admin, ['admin'])
    const student = await makePerson()
    const given = {
      user_id: student.handle.toUpperCase(),
      name: 'class',
      scopes: ['submit'],
      expires_in_days: null,
    }
    const { status, body } = await make({ token }, given)
    expect(status).toBe(201)
    expect(body).toMatchObject({ user_id: student.handle, created_by: admin.handle, expires_at: null })
  })

  it('creating a token for another user needs an admin', async () => {
    const [ada, bob] = [await makePerson(), await makePerson()]
    expect(await make({ cookie: ada.cookie }, { user_id: bob.handle })).toMatchObject({ status: 403 })
    expect(await make({ cookie: ada.cookie }, { user_id: 'nobody' })).toMatchObject({ status: 403 })
    const admin = await makePerson('admin')
    expect(await make({ cookie: admin.cookie }, { user_id: 'nobody' })).toMatchObject({ status: 404 })
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [bob.id])
    expect(await make({ cookie: admin.cookie }, { user_id: bob.handle })).toMatchObject({ status: 422 })
  })

  const grants: [role: 'researcher' | 'admin', own: Scope[] | 'session', wanted: Scope[], status: number][] =
    [
      ['researcher', 'session', ['submit', 'read'], 201],
      ['researcher', 'session', ['admin'], 403],
      ['researcher', ['submit', 'read'], ['submit', 'read'], 201],
      ['researcher', ['submit', 'read'], ['admin'], 403],
      ['researcher', ['submit', 'read', 'admin'], ['admin'], 403],
      ['researcher', ['submit'], ['submit'], 201],
      ['researcher', ['submit'], ['read'], 403],
      ['researcher', ['read'], ['read'], 403],
      ['admin', 'session', ['submit', 'read', 'admin'], 201],
      ['admin', ['admin'], ['submit', 'read', 'admin'], 201],
      ['admin', ['submit', 'read'], ['admin'], 403],
      ['admin', ['submit'], ['submit', 'read'], 403],
    ]
  it.each(grants)(
    'creating a token as %s with %j of %j is answered %i',
    async (role, own, wanted, status) => {
      const person = await makePerson(role)
      const who =
        own === 'session' ? { cookie: person.cookie } : { token: (await makeToken(person, own)).token }
      expect((await make(who, { scopes: wanted })).status).toBe(status)
    },
  )

  it('never gives a researcher the scope "admin", not even by an admin', async () => {
    const [admin, ada] = [await makePerson('admin'), await makePerson()]
    expect(await make({ cookie: admin.cookie }, { user_id: ada.handle, scopes: ['admin'] })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'scopes' }] },
    })
  })

  it('creating a token with another token limits its lifetime to that of the other', async () => {
    const person = await makePerson()
    const { token } = await makeToken(person, ['submit'], '1 hour')
    for (const expires_in_days of [90, null]) {
      const { body } = await make({ token }, { scopes: ['submit'], expires_in_days })
      const made = createdTokenSchema.parse(body)
      expect(Date.parse(made.expires_at ?? '') - Date.parse(made.created_at)).toBeLessThanOrEqual(3_600_000)
    }
  })

  it('names every invalid field', async () => {
    const { cookie } = await makePerson()
    const wrong = { name: 'two\nlines', scopes: ['root'], expires_in_days: -1, extra: 1 }
    const { status, body } = await make({ cookie }, wrong)
    const paths = (body as { errors: { path: string }[] }).errors.map(({ path }) => path)
    expect([status, paths.sort()]).toEqual([422, ['expires_in_days', 'extra', 'name', 'scopes.0']])
    expect(await make({ cookie }, { scopes: [] })).toMatchObject({ status: 422 })
  })

  it('keeps the latest 200 ended tokens, however often a script creates and revokes', async () => {
    const ada = await makePerson()
    await db.pool.query(
      `INSERT INTO api_tokens (id, user_id, name, hash, hint, scopes, revoked_at)
       SELECT gen_random_uuid(), $1::uuid, 'old ' || n, decode(md5('token ' || n), 'hex'), '', '{}', now() - n * interval '1 minute'
         FROM generate_series(1, 250) n`,
      [ada.id],
    )
    const live = createdTokenSchema.parse((await make(ada, {})).body)
    const { rows } = await db.pool.query(
      "SELECT count(*)::int AS ended, bool_or(name = 'old 1') AS latest FROM api_tokens WHERE user_id = $1 AND revoked_at IS NOT NULL",
      [ada.id],
    )
    expect(rows).toEqual([{ ended: 200, latest: true }])
    expect((await call(userRoutes.me, '/api/users/me', { token: live.token })).status).toBe(200)
  })

  it('stops at 200 valid tokens, also concurrently', async () => {
    const { cookie, id } = await makePerson()
    await db.pool.query(
      `INSERT INTO api_tokens (id, user_id, name, hash, hint, scopes)
       SELECT gen_random_uuid(), $1::uuid, 'n', sha256(($1 || '/' || i)::bytea), 'h', '{read}' FROM generate_series(1, 198) i`,
      [id],
    )
    const answers = await Promise.all(Array.from({ length: 6 }, () => make({ cookie }, {})))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409])
  })
})

describe('the list of tokens', () => {
  it('has the user’s own tokens, and for an admin those of any user', async () => {
    const [admin, ada, bob] = [await makePerson('admin'), await makePerson(), await makePerson()]
    const mine = await makeToken(ada)
    await makeToken(bob)
    const ids = async (who: Who, query = '') => {
      const found = await list(who, query)
      return typeof found === 'number' ? found : found.map(({ token_id }) => token_id)
    }
    expect(await ids({ cookie: ada.cookie })).toEqual([mine.tokenId])
    expect(await ids({ cookie: ada.cookie }, `?user_id=${ada.handle.toUpperCase()}`)).toEqual([mine.tokenId])
    expect(await ids({ cookie: ada.cookie }, `?user_id=${bob.handle}`)).toBe(403)
    expect(await ids({ cookie: ada.cookie }, '?all=true')).toBe(403)
    expect(await ids({ cookie: admin.cookie })).toEqual([])
    expect(await ids({ cookie: admin.cookie }, `?user_id=${ada.handle}`)).toEqual([mine.tokenId])
    expect(await ids({ token: (await makeToken(bob, ['submit'])).token })).toBe(403)

    await db.pool.query("UPDATE users SET name = 'Ada Lovelace' WHERE id = $1", [ada.id])
    const everything = (
      await readPages(tokenRoutes.list, '/api/tokens?all=true&limit=7', { cookie: admin.cookie })
    ).flat()
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM api_tokens')
    const listed = everything.map((token) => tokenSchema.parse(token))
    expect(listed.find(({ user_id }) => user_id === ada.handle)?.user_name).toBe('Ada Lovelace')
    const seen = listed.map(({ token_id }) => token_id)
    expect(seen.sort()).toEqual(rows.map(({ id }) => id).sort())
  })
})

describe('revoking a token', () => {
  it('ends it at once; a second time has no effect', async () => {
    const person = await makePerson()
    const { token, tokenId } = await makeToken(person)
    const works = async () => (await call(userRoutes.me, '/api/users/me', { token })).status
    expect(await works()).toBe(200)
    expect(await revoke({ cookie: person.cookie }, tokenId)).toBe(204)
    expect(await works()).toBe(401)
    const [before] = (await list({ cookie: person.cookie })) as { revoked_at: string }[]
    expect(await revoke({ cookie: person.cookie }, tokenId)).toBe(204)
    const [after] = (await list({ cookie: person.cookie })) as { revoked_at: string }[]
    expect(after?.revoked_at).toBe(before?.revoked_at)
    const { rowCount } = await db.pool.query(
      "SELECT 1 FROM audit_events WHERE action = 'token_revoked' AND detail->>'token_id' = $1",
      [tokenId],
    )
    expect(rowCount).toBe(1)
  })

  it('revoking a token of another user needs an admin', async () => {
    const [admin, ada, bob] = [await makePerson('admin'), await makePerson(), await makePerson()]
    const { tokenId, token } = await makeToken(ada)
    const unprivileged = await makeToken(admin, ['submit'])
    expect(await revoke({ cookie: bob.cookie }, tokenId)).toBe(404)
    expect(await revoke({ token: unprivileged.token }, tokenId)).toBe(404)
    expect(await revoke({ cookie: bob.cookie }, 'x')).toBe(404)
    expect(await revoke({ token: (await makeToken(ada, ['read'])).token }, tokenId)).toBe(403)
    expect((await call(userRoutes.me, '/api/users/me', { token })).status).toBe(200)
    expect(await revoke({ cookie: admin.cookie }, tokenId)).toBe(204)
  })
})
