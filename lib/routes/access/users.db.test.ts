import { describe, expect, it, vi } from 'vitest'
import { signInWithPassword } from '../../access/sessions/sign-in'
import { call, readPages } from '../../access/testing/call'
import { findStored, makePerson, makeToken, someClient } from '../../access/testing/people'
import { createdUserSchema, userSchema } from '../../contract/access/access'
import { testDatabase } from '../../database/testing/test-database'
import { userRoutes } from './users'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

/** Sends a request as an admin. */
async function adminCaller() {
  const { cookie } = await makePerson('admin')
  return {
    create: (body: unknown) => call(userRoutes.create, '/api/users', { method: 'POST', body, cookie }),
    patch: (handle: string, body: unknown) =>
      call(userRoutes.update, `/api/users/${handle}`, { method: 'PATCH', body, cookie, params: { handle } }),
    cookie,
  }
}

describe('creating a user', () => {
  it('answers with an invitation link that sets the password once', async () => {
    const { create } = await adminCaller()
    const made = await create({ user_id: 'your_user_id', email: 'you@example.org', role: 'researcher' })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe('/api/users/your_user_id')
    const user = createdUserSchema.parse(made.body)
    expect(user).toMatchObject({
      user_id: 'your_user_id',
      role: 'researcher',
      invited: true,
      disabled: false,
    })

    const token = user.invitation_url?.match(/^http:\/\/localhost:8001\/invitations\/([\w-]{43})$/)?.[1]
    const accept = (password: string) =>
      call(userRoutes.acceptInvitation, '/api/invitations', { method: 'POST', body: { token, password } })
    expect((await accept('short')).body).toMatchObject({ status: 422, errors: [{ path: 'password' }] })
    const both = await Promise.all([accept('the first password'), accept('the other password')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404])
    expect(both.find(({ status }) => status === 200)?.body).toEqual({ user_id: 'your_user_id' })

    const tries = ['the first password', 'the other password'].map((password) =>
      signInWithPassword({ login: 'you@example.org', password }, someClient),
    )
    const verdicts = (await Promise.all(tries)).map(({ verdict }) => verdict)
    expect(verdicts.sort()).toEqual(['right', 'wrong'])
    expect(await findStored(['you@example.org'])).toContain('users: you@example.org')
    expect(await findStored([token ?? '', 'the first password', 'the other password'])).toEqual([])
  })

  it('accepts a password instead, and does not store it in plain text', async () => {
    const { create } = await adminCaller()
    const password = 'a password given by an admin'
    const { body } = await create({ user_id: 'with.password', password })
    expect(body).toMatchObject({ invited: false, invitation_url: null, email: null })
    expect((await signInWithPassword({ login: 'with.password', password }, someClient)).verdict).toBe('right')
    expect(await findStored([password])).toEqual([])
  })

  it('rejects a used handle or address in any case, with a clear message', async () => {
    const { create } = await adminCaller()
    await create({ user_id: 'Ada', email: 'Ada@example.org' })
    const handle = await create({ user_id: 'aDA' })
    expect(handle).toMatchObject({
      status: 409,
      body: { detail: 'The user id "aDA" is taken. Choose another.' },
    })
    const email = await create({ user_id: 'ada2', email: 'ada@EXAMPLE.org' })
    expect(email.body).toMatchObject({ status: 409, detail: expect.stringContaining('e-mail address') })
  })

  it('names every invalid field', async () => {
    const { create } = await adminCaller()
    const { status, body } = await create({ user_id: '../x', email: 'none', role: 'root', name: 'a\0b' })
    expect(status).toBe(422)
    const paths = (body as { errors: { path: string }[] }).errors.map(({ path }) => path)
    expect(paths.sort()).toEqual(['email', 'name', 'role', 'user_id'])
    expect(await create({ user_id: 'me' })).toMatchObject({ status: 422 })
    expect(await create({ user_id: 'x', admin: true })).toMatchObject({ status: 422 })
  })

  it('accepts only JSON', async () => {
    const { cookie } = await adminCaller()
    const post = (body: string, type = 'application/json') =>
      call(userRoutes.create, '/api/users', {
        method: 'POST',
        body,
        cookie,
        headers: { 'content-type': type },
      })
    expect(await post('{"user_id":')).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(await post('')).toMatchObject({ status: 400 })
    expect(await post('[]')).toMatchObject({ status: 422 })
    expect(await post('null')).toMatchObject({ status: 422 })
    expect(await post('user_id=x', 'application/x-www-form-urlencoded')).toMatchObject({ status: 415 })
    expect(await post('{}', 'text/plain')).toMatchObject({ status: 415 })
    expect(await post(`{"name":"${'x'.repeat(300_000)}"}`)).toMatchObject({ status: 413 })
  })
})

describe('the right', () => {
  it('the right to see a user: admins see everyone, others only themselves', async () => {
    const [admin, ada, bob] = [await makePerson('admin'), await makePerson(), await makePerson()]
    const look = (handle: string, cookie: string) =>
      call(userRoutes.get, `/api/users/${handle}`, { cookie, params: { handle } })
    expect((await look(ada.handle, admin.cookie)).body).toMatchObject({ user_id: ada.handle })
    expect((await look(ada.handle.toUpperCase(), ada.cookie)).body).toMatchObject({ user_id: ada.handle })
    const [other, nobody] = [await look(bob.handle, ada.cookie), await look('nobody', ada.cookie)]
    expect([other.status, other.body]).toEqual([404, nobody.body])
    expect((await look('no\0body', admin.cookie)).status).toBe(404)
    expect(
      userSchema.parse((await call(userRoutes.me, '/api/users/me', { cookie: ada.cookie })).body).email,
    ).toBe(ada.email)
  })

  it('the right to create, change and list users: admins, and their tokens with the scope admin', async () => {
    const [admin, ada] = [await makePerson('admin'), await makePerson()]
    const full = await makeToken(admin, ['admin'])
    const lesser = await makeToken(admin, ['submit', 'read'])
    // The scope admin without the role admin gives no rights.
    const demoted = await makeToken(ada, ['submit', 'read', 'admin'])
    const callers = [
      [{ token: full.token }, 200],
      [{ token: lesser.token }, 403],
      [{ token: demoted.token }, 403],
      [{ cookie: ada.cookie }, 403],
      [{}, 401],
      [{ token: 'x'.repeat(54) }, 401],
    ] as const
    for (const [who, status] of callers) {
      const params = { handle: ada.handle }
      const patch = { method: 'PATCH', body: { name: 'Ada' }, params, ...who }
      expect((await call(userRoutes.list, '/api/users', who)).status).toBe(status)
      expect((await call(userRoutes.update, `/api/users/${ada.handle}`, patch)).status).toBe(status)
      if (status !== 200) {
        const post = { method: 'POST', body: { user_id: 'never' }, ...who }
        expect((await call(userRoutes.create, '/api/users', post)).status).toBe(status)
      }
    }
  })

  it('is not usable from another site or origin', async () => {
    const { cookie } = await makePerson('admin')
    const post = (headers: Record<string, string>) =>
      call(userRoutes.create, '/api/users', { method: 'POST', body: { user_id: 'evil' }, cookie, headers })
    expect(await post({ 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 403 })
    expect(await post({ 'sec-fetch-site': 'same-site' })).toMatchObject({ status: 403 })
    const { rowCount } = await db.pool.query("SELECT 1 FROM users WHERE handle = 'evil'")
    expect(rowCount).toBe(0)
  })
})

describe('a password that is easy to guess', () => {
  it('is refused when an admin creates a user, and when an invitation is accepted', async () => {
    const { create } = await adminCaller()
    const ada = { user_id: 'ada.weak', email: 'lovelace@example.org', name: 'Ada Lovelace' }
    const weak = (status: number) => ({ status, body: { errors: [{ path: 'password' }] } })
    for (const password of ['1234567890', 'adalovelace', 'lovelace@example.org']) {
      expect(await create({ ...ada, password })).toMatchObject(weak(422))
    }
    const { body } = await create(ada)
    const token = createdUserSchema.parse(body).invitation_url?.split('/').at(-1) ?? ''
    const accept = (password: string) =>
      call(userRoutes.acceptInvitation, '/api/invitations', { method: 'POST', body: { token, password } })
    expect(await accept('lovelace.ada')).toMatchObject(weak(422))
    expect(await accept('blue lamp runs fast')).toMatchObject({ status: 200 })
  })
})

describe('changing a user', () => {
  it('keeps the omitted fields', async () => {
    const { patch } = await adminCaller()
    const { handle, email } = await makePerson()
    const limited = await patch(handle, { name: 'Ada', limits: { max_active_jobs: 3 } })
    expect(limited.body).toMatchObject({ name: 'Ada', email, limits: { max_active_jobs: 3 } })
    const unlimited = await patch(handle.toUpperCase(), { limits: { submissions_per_minute: 9 } })
    const limits = { max_active_jobs: 3, submissions_per_minute: 9 }
    expect(unlimited.body).toMatchObject({ name: 'Ada', email, role: 'researcher', disabled: false, limits })
    const cleared = await patch(handle, { name: null, limits: { max_active_jobs: null } })
    expect(cleared.body).toMatchObject({ name: null, limits: { ...limits, max_active_jobs: null } })
    expect((await patch(handle, {})).status).toBe(200)
    expect(await patch('nobody', {})).toMatchObject({ status: 404 })
  })

  it('disables sessions and tokens at once; enabling restores only the tokens', async () => {
    const { patch } = await adminCaller()
    const person = await makePerson()
    const { token } = await makeToken(person)
    const statuses = async () =>
      Promise.all(
        [{ token }, { cookie: person.cookie }].map(
          async (who) => (await call(userRoutes.me, '/api/users/me', who)).status,
        ),
      )
    expect(await statuses()).toEqual([200, 200])
    await patch(person.handle, { disabled: true })
    expect(await statuses()).toEqual([401, 401])
    expect(
      (await signInWithPassword({ login: person.handle, password: person.password }, someClient)).verdict,
    ).toBe('wrong')
    await patch(person.handle, { disabled: false })
    expect(await statuses()).toEqual([200, 401])
  })

  it('creates a new invitation, which replaces the previous one', async () => {
    const { create, patch } = await adminCaller()
    const tokenOf = (body: unknown) => createdUserSchema.parse(body).invitation_url?.split('/').at(-1) ?? ''
    const first = tokenOf((await create({ user_id: 'late' })).body)
    const second = tokenOf((await patch('late', { new_invitation: true })).body)
    const accept = async (token: string) => {
      const body = { token, password: 'a password of one' }
      return (await call(userRoutes.acceptInvitation, '/api/invitations', { method: 'POST', body })).status
    }
    expect([await accept(first), await accept(second)]).toEqual([404, 200])
    const third = tokenOf((await patch('late', { new_invitation: true })).body)
    await db.pool.query(
      "UPDATE users SET invitation_expires_at = now() - interval '1 second' WHERE handle = 'late'",
    )
    expect(await accept(third)).toBe(404)
    expect(await findStored([first, second, third])).toEqual([])
  })
})

describe('the list of users', () => {
  it('has every user once, over all pages', async () => {
    const { cookie } = await adminCaller()
    const pages = await readPages(userRoutes.list, '/api/users?limit=3', { cookie })
    const handles = pages.flat().map((user) => userSchema.parse(user).user_id.toLowerCase())
    const { rows } = await db.pool.query<{ handle: string }>(
      'SELECT lower(handle) AS handle FROM users ORDER BY 1',
    )
    expect(handles).toEqual(rows.map(({ handle }) => handle))
    expect(pages.length).toBe(Math.ceil(rows.length / 3))
  })

  it('rejects an invalid cursor or limit', async () => {
    const { cookie } = await adminCaller()
    expect(await call(userRoutes.list, '/api/users?cursor=x', { cookie })).toMatchObject({ status: 400 })
    expect(await call(userRoutes.list, '/api/users?limit=0', { cookie })).toMatchObject({ status: 422 })
    expect(await call(userRoutes.list, '/api/users?limit=x', { cookie })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'limit' }] },
    })
  })
})

describe('a flood of wrong invitations', () => {
  it('gets 429, and valid invitations still work', async () => {
    const { create } = await adminCaller()
    const link = createdUserSchema.parse((await create({ user_id: 'guest' })).body).invitation_url
    const accept = (token: string) =>
      call(userRoutes.acceptInvitation, '/api/invitations', {
        method: 'POST',
        body: { token, password: 'a password of one' },
      })
    // More than two minutes allow: the requests may fall into two of them.
    const answers = await Promise.all(Array.from({ length: 130 }, (_, i) => accept(`wrong-${i}`)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(5)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await accept(link?.split('/').at(-1) ?? '')).status).toBe(200)
  })
})
