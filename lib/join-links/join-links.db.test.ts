import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createProject } from '../access/projects/projects'
import { call } from '../access/testing/call'
import { findStored, makePerson, type Person } from '../access/testing/people'
import { testDatabase } from '../database/testing/test-database'
import type { CreatedJoinLink, JoinLink } from './contract'
import { joinLinkRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [owner, manager, admin, member, bob] = [] as unknown as Person[] as [
  Person,
  Person,
  Person,
  Person,
  Person,
]
let id = ''
beforeAll(async () => {
  admin = await makePerson('admin')
  ;[owner, manager, member, bob] = [
    await makePerson(),
    await makePerson(),
    await makePerson(),
    await makePerson(),
  ]
  id = (await createProject(owner.actor, { project_id: 'class', members: [] })).id
  await db.pool.query(
    `INSERT INTO memberships (project_id, user_id, role) VALUES ($1, $2, 'manager'), ($1, $3, 'member')`,
    [id, manager.id, member.id],
  )
})

const path = () => `/api/projects/${id}/join-links`
const create = (who: Person, body: object = {}) =>
  call(joinLinkRoutes.create, path(), { method: 'POST', body, cookie: who.cookie, params: { id } })
const created = async (who: Person, body: object = {}) => {
  const { status, body: link } = await create(who, body)
  expect(status).toBe(201)
  return link as CreatedJoinLink
}
const list = async (who: Person) =>
  (await call(joinLinkRoutes.list, path(), { cookie: who.cookie, params: { id } })).body as JoinLink[]
const revoke = (who: Person, linkId: string) =>
  call(joinLinkRoutes.revoke, `${path()}/${linkId}`, {
    method: 'DELETE',
    cookie: who.cookie,
    params: { id, linkId },
  })
const tokenOf = ({ url }: CreatedJoinLink) => url.split('/').at(-1) ?? ''
const joinAs = (who: Person, token: string) =>
  call(joinLinkRoutes.join, '/api/join/x', { method: 'POST', cookie: who.cookie, params: { token } })
const newAccount = (token: string, user_id: string, more: object = {}) =>
  call(joinLinkRoutes.createAccount, '/api/join/x/account', {
    method: 'POST',
    body: { user_id, password: 'seven quiet trams at dusk', ...more },
    params: { token },
  })
const isMember = async (handle: string) => {
  const { rowCount } = await db.pool.query(
    'SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.project_id = $1 AND u.handle = $2',
    [id, handle],
  )
  return rowCount === 1
}

describe('the join links of a project', () => {
  it('are kept for a while after they ended, at most 50 of them', async () => {
    await db.pool.query(
      `INSERT INTO join_links (id, project_id, hash, created_by_id, max_people, new_accounts, expires_at, revoked_at)
       SELECT gen_random_uuid(), $1, decode(md5('link ' || n), 'hex'), $2, 1, false, now() + interval '1 day',
              now() - n * interval '1 day' FROM generate_series(1, 70) n`,
      [id, owner.id],
    )
    await created(owner)
    const ended = (await list(owner)).filter(({ state }) => state === 'revoked')
    expect(ended).toHaveLength(50)
    await db.pool.query('DELETE FROM join_links WHERE project_id = $1', [id])
  })
})

describe('a join link', () => {
  it('is made by admins, the owner and managers, and new accounts are for admins only', async () => {
    for (const who of [owner, manager, admin]) await created(who)
    expect(await create(member)).toMatchObject({ status: 403 })
    expect(await create(bob)).toMatchObject({ status: 404 })
    for (const who of [owner, manager])
      expect(await create(who, { new_accounts: true })).toMatchObject({ status: 403 })
    expect(await list(manager)).toHaveLength(3)
    expect(await call(joinLinkRoutes.list, path(), { cookie: member.cookie, params: { id } })).toMatchObject({
      status: 403,
    })
    for (const body of [{ max_people: 0 }, { max_people: 1.5 }, { expires_in_days: 10_000 }, { x: 1 }])
      expect(await create(admin, body)).toMatchObject({ status: 422 })
  })

  it('makes a signed-in user a member once, and counts each person once', async () => {
    const link = await created(owner)
    for (const _ of [1, 2])
      expect(await joinAs(bob, tokenOf(link))).toMatchObject({ status: 200, body: { project_id: 'class' } })
    expect(await joinAs(owner, tokenOf(link))).toMatchObject({ status: 200 })
    expect((await list(owner))[0]).toMatchObject({ joined: 1, state: 'open' })
    expect(await isMember(bob.handle)).toBe(true)
  })

  it('creates an account without an e-mail address and with the rights of a researcher', async () => {
    const token = tokenOf(await created(admin, { new_accounts: true }))
    expect(await newAccount(token, 'new-student', { name: 'New Student' })).toMatchObject({
      status: 201,
      body: { user_id: 'new-student', project_id: 'class' },
    })
    expect(await isMember('new-student')).toBe(true)
    const { rows } = await db.pool.query("SELECT email, role, name FROM users WHERE handle = 'new-student'")
    expect(rows).toEqual([{ email: null, role: 'researcher', name: 'New Student' }])
    expect(await newAccount(token, 'NEW-student')).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/taken/) },
    })
    expect(await newAccount(token, 'me')).toMatchObject({ status: 422 })
    expect(await newAccount(token, 'weak', { password: 'password1234' })).toMatchObject({ status: 422 })
    for (const more of [{ role: 'admin' }, { email: admin.actor.handle }, { name: 'a\u202Eb' }])
      expect(await newAccount(token, 'evil', more)).toMatchObject({ status: 422 })
    expect((await list(admin))[0]).toMatchObject({ joined: 1, new_accounts: true })
    expect(await newAccount(tokenOf(await created(owner)), 'uninvited')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('have an account') },
    })
  })

  it('never admits more people than its limit, also if they join at the same moment', async () => {
    const link = await created(owner, { max_people: 7 })
    const handles = Array.from({ length: 50 }, (_, n) => `crowd-${n}`)
    const people = await Promise.all(handles.map((handle) => makePerson('researcher', handle)))
    const answers = await Promise.all(people.map((who) => joinAs(who, tokenOf(link))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
    for (const { status, body } of answers)
      if (status !== 200)
        expect([status, body]).toMatchObject([409, { detail: expect.stringMatching(/full.*Ask/) }])
    expect((await list(owner))[0]).toMatchObject({ joined: 7, state: 'full' })
    expect((await Promise.all(handles.map(isMember))).filter(Boolean)).toHaveLength(7)
  })

  it('gives a user id to one of the people who ask for it at the same moment, and none for that of another user', async () => {
    const token = tokenOf(await created(admin, { new_accounts: true, max_people: 3 }))
    const answers = await Promise.all(Array.from({ length: 6 }, () => newAccount(token, 'wanted')))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409])
    const hashOf = async (handle: string) =>
      (await db.pool.query('SELECT password_hash, email FROM users WHERE handle = $1', [handle])).rows
    const before = await hashOf(bob.handle)
    expect(await newAccount(token, bob.handle.toUpperCase())).toMatchObject({ status: 409 })
    expect(await hashOf(bob.handle)).toEqual(before)
    expect((await list(admin))[0]).toMatchObject({ joined: 1, state: 'open' })
  })

  it('says only a limited number of times that a user id is taken, then nothing about any', async () => {
    const link = await created(admin, { new_accounts: true, max_people: 2 })
    const token = tokenOf(link)
    const taken = await Promise.all(Array.from({ length: 30 }, () => newAccount(token, bob.handle)))
    const texts = taken.map(({ body }) => (body as { detail: string }).detail)
    expect(texts.filter((text) => /is taken/.test(text))).toHaveLength(22)
    const free = await newAccount(token, 'a-free-user-id')
    const known = await newAccount(token, bob.handle)
    expect([free.status, free.body]).toEqual([known.status, known.body])
    expect(free).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/creates no more accounts.*Ask/) },
    })
    expect((await list(admin)).find(({ id: own }) => own === link.id)).toMatchObject({
      joined: 0,
      state: 'open',
    })
    // People who have an account still join.
    expect(await joinAs(await makePerson(), token)).toMatchObject({ status: 200 })
  })

  it('does not say to others than its open holders whether a user id is taken', async () => {
    const link = await created(admin, { new_accounts: true })
    await revoke(admin, link.id)
    const answers = [
      await newAccount(tokenOf(link), bob.handle),
      await newAccount(tokenOf(link), 'certainly-nobody'),
    ]
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/revoked/) } })
  })

  it('does not admit a disabled user, and ends when its creator is disabled', async () => {
    const [late, other] = [await makePerson(), await makePerson('admin')]
    const token = tokenOf(await created(other))
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [late.id])
    expect(await joinAs(late, token)).toMatchObject({ status: 401 })
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [other.id])
    expect(await joinAs(bob, token)).toMatchObject({ status: 200 })
    expect(await joinAs(await makePerson(), token)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/revoked/) },
    })
    expect(await isMember(late.handle)).toBe(false)
  })

  it('says why it no longer works', async () => {
    const [revoked, expired] = [await created(owner), await created(owner)]
    expect(await revoke(member, revoked.id)).toMatchObject({ status: 403 })
    expect(await revoke(manager, revoked.id)).toMatchObject({ status: 204 })
    expect(await revoke(manager, 'x')).toMatchObject({ status: 404 })
    await db.pool.query("UPDATE join_links SET expires_at = now() - interval '1 hour' WHERE id = $1", [
      expired.id,
    ])
    const late = await makePerson()
    expect(await joinAs(late, tokenOf(revoked))).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/revoked.*Ask/) },
    })
    expect(await joinAs(late, tokenOf(expired))).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/expired.*Ask/) },
    })
    expect(await joinAs(late, 'wrong')).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/not valid/) },
    })
    expect(await isMember(late.handle)).toBe(false)
  })

  it('ends with the right of its creator', async () => {
    const link = await created(manager)
    await db.pool.query("UPDATE memberships SET role = 'member' WHERE user_id = $1", [manager.id])
    const late = await makePerson()
    expect(await joinAs(late, tokenOf(link))).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/revoked/) },
    })
    await db.pool.query("UPDATE memberships SET role = 'manager' WHERE user_id = $1", [manager.id])
    expect(await joinAs(late, tokenOf(link))).toMatchObject({ status: 200 })
  })

  it('is stored only as a hash', async () => {
    const token = tokenOf(await created(admin, { new_accounts: true }))
    await newAccount(token, 'one-more')
    expect(await findStored([token])).toEqual([])
  })

  it('a join link that is wrong can be tried a limited number of times', async () => {
    const tries = await Promise.all(Array.from({ length: 90 }, () => newAccount('guess', 'guesser')))
    expect(tries.some(({ status }) => status === 429)).toBe(true)
    const right = tokenOf(await created(admin, { new_accounts: true }))
    expect(await newAccount(right, 'a-classmate')).toMatchObject({ status: 201 })
    // A right link limits how many user ids somebody can try.
    const ids = await Promise.all(Array.from({ length: 200 }, () => newAccount(right, 'me')))
    expect(new Set(ids.map(({ status }) => status))).toEqual(new Set([422, 429]))
  })
})
