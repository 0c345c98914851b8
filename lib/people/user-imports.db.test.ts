import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createProject } from '../access/projects/projects'
import { call } from '../access/testing/call'
import { findStored, makePerson, type Person } from '../access/testing/people'
import { acceptInvitation } from '../access/users/invitations'
import { testDatabase } from '../database/testing/test-database'
import type { UserImport } from './contract'
import { importRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada, bob] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  admin = await makePerson('admin', 'root')
  ;[ada, bob] = [await makePerson('researcher', 'ada'), await makePerson('researcher', 'bob')]
  for (const who of [ada, bob]) await createProject(who.actor, { project_id: 'shared-name', members: [] })
  await createProject(ada.actor, { project_id: 'class', members: [] })
})

const send = (csv: string, dry_run: boolean, who: Person = admin) =>
  call(importRoutes.import, '/api/user-imports', {
    method: 'POST',
    body: { csv, dry_run },
    cookie: who.cookie,
  })
const result = async (csv: string, dry_run: boolean) => {
  const { status, body } = await send(csv, dry_run)
  expect(body).toMatchObject({ dry_run })
  expect(status).toBe(200)
  return body as UserImport
}
const countOf = async (table: 'users' | 'audit_events' | 'memberships') =>
  (await db.pool.query(`SELECT count(*)::int AS count FROM ${table}`)).rows[0].count
const actionsOf = ({ users }: UserImport) => users.map(({ user_id, action }) => [user_id, action])

describe('an import of users', () => {
  it('is previewed without a change, creates the users with invitations, and changes nothing when repeated', async () => {
    const file = [
      'email;name;projects;max_active_jobs;max_priority;user_id;role',
      'grace@example.org;Grace Hopper;class;3;5;;',
      `;;"class ada/shared-name";;;bob;`,
      'alan@example.org;;;;;turing;admin',
      'ada@example.org;"Ada; Countess";;;;;',
    ].join('\r\n')
    const before = await countOf('users')
    const preview = await result(file, true)
    expect(preview).toMatchObject({ problems: [], invitations: [] })
    expect(actionsOf(preview)).toEqual([
      ['grace', 'create'],
      ['bob', 'change'],
      ['turing', 'create'],
      ['ada', 'change'],
    ])
    expect(preview.users.map(({ changes }) => changes)).toEqual([
      ['max_active_jobs: 3', 'max_priority: 5', 'joins ada/class'],
      ['joins ada/class', 'joins ada/shared-name'],
      ['role: admin'],
      ['name: Ada; Countess'],
    ])
    expect(await countOf('users')).toBe(before)

    const done = await result(file, false)
    expect(done.invitations.map(({ user_id, email, name }) => [user_id, email, name])).toEqual([
      ['grace', 'grace@example.org', 'Grace Hopper'],
      ['turing', 'alan@example.org', null],
    ])
    const { rows } = await db.pool.query(
      `SELECT u.handle, u.role, u.name, u.max_active_jobs, u.job_limits, count(m.*)::int AS projects
         FROM users u LEFT JOIN memberships m ON m.user_id = u.id WHERE u.id <> $1 GROUP BY u.id ORDER BY u.handle`,
      [admin.id],
    )
    expect(rows).toEqual([
      {
        handle: 'ada',
        role: 'researcher',
        name: 'Ada; Countess',
        max_active_jobs: null,
        job_limits: {},
        projects: 0,
      },
      { handle: 'bob', role: 'researcher', name: null, max_active_jobs: null, job_limits: {}, projects: 2 },
      {
        handle: 'grace',
        role: 'researcher',
        name: 'Grace Hopper',
        max_active_jobs: 3,
        job_limits: { max_priority: 5 },
        projects: 1,
      },
      { handle: 'turing', role: 'admin', name: null, max_active_jobs: null, job_limits: {}, projects: 0 },
    ])
    const [token = ''] = done.invitations.map(({ url }) => url.split('/').at(-1) ?? '')
    expect(await findStored([token])).toEqual([])
    expect(await acceptInvitation(token, 'seven quiet trams at dusk')).toBe('grace')
    const audited = await db.pool.query(
      "SELECT action, target FROM audit_events WHERE actor_id = $1 AND action LIKE 'user%' ORDER BY action, target",
      [admin.id],
    )
    expect(audited.rows).toEqual([
      { action: 'user_created', target: 'grace' },
      { action: 'user_created', target: 'turing' },
      { action: 'user_updated', target: 'ada' },
      { action: 'user_updated', target: 'bob' },
      { action: 'users_imported', target: null },
    ])

    const again = await result(file, false)
    expect(again.invitations).toEqual([])
    expect(new Set(again.users.map(({ action }) => action))).toEqual(new Set(['unchanged']))
  })

  it('an import of users with problems names each with its line and column, and imports nothing', async () => {
    const file = [
      'user_id,email,role,projects',
      'fine,fine@example.org,,',
      'wrong,nobody,,',
      'FINE,,,',
      'other,fine@example.org,,',
      `another,${bob.email},,`,
      `bob,${ada.email},,`,
      'lost,,,no-such',
      'vague,,,shared-name',
      'root,,researcher,',
      'nul,,,a\u0000b',
    ].join('\n')
    const { problems } = await result(file, true)
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [3, 'email'],
      [4, 'user_id'],
      [5, 'email'],
      [7, 'email'],
      [8, 'projects'],
      [9, 'projects'],
      [10, 'role'],
      [11, 'projects'],
    ])
    expect(problems[5]?.message).toContain('ada/shared-name')
    const before = [await countOf('users'), await countOf('audit_events'), await countOf('memberships')]
    expect(await send(file, false)).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/line 3, email.*7 more problems.*Nothing was imported/) },
    })
    expect([await countOf('users'), await countOf('audit_events'), await countOf('memberships')]).toEqual(
      before,
    )
  })

  it('matches an existing user by the e-mail address', async () => {
    const { users } = await result(`user_id,email\nanother,${bob.email}`, true)
    expect(users).toMatchObject([{ user_id: 'bob', action: 'unchanged' }])
  })

  it('gives an address only to the user that the file names, not to one who chose the same user id', async () => {
    await makePerson('researcher', 'eve')
    await db.pool.query("UPDATE users SET email = NULL WHERE handle = 'eve'")
    for (const [file, column] of [
      ['email\neve@example.org', 'email'],
      ['user_id,email\nbob,\nother,bob@example.org', null],
    ] as const) {
      await db.pool.query("UPDATE users SET email = 'bob@example.org' WHERE handle = 'bob'")
      const { problems } = await result(file, true)
      expect(problems).toMatchObject([{ column }])
      expect(await send(file, false)).toMatchObject({ status: 422 })
    }
    const { rows } = await db.pool.query("SELECT email FROM users WHERE handle = 'eve'")
    expect(rows).toEqual([{ email: null }])
    expect(await result('user_id,email\neve,eve@example.org', true)).toMatchObject({
      problems: [],
      users: [{ user_id: 'eve', action: 'change', changes: ['email: eve@example.org'] }],
    })
  })

  it('is refused if it would do something else than its preview', async () => {
    const csv = 'user_id,name,role\nlater,Later,admin'
    const { plan } = await result(csv, true)
    await makePerson('researcher', 'later')
    const confirm = (previewed: string) =>
      call(importRoutes.import, '/api/user-imports', {
        method: 'POST',
        body: { csv, dry_run: false, plan: previewed },
        cookie: admin.cookie,
      })
    const before = await countOf('audit_events')
    expect(await confirm(plan)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/Nothing was imported/) },
    })
    const { rows } = await db.pool.query("SELECT role, name FROM users WHERE handle = 'later'")
    expect(rows).toEqual([{ role: 'researcher', name: null }])
    expect(await countOf('audit_events')).toBe(before)
    expect(await confirm((await result(csv, true)).plan)).toMatchObject({ status: 200 })
  })

  it('refuses an address that would add lines to an e-mail', async () => {
    for (const email of [
      '"a@example.org\nBcc: x@example.org"',
      'a@example.org\u2028Bcc:x',
      '"a b"@example.org>',
    ])
      expect((await result(`user_id,email\nmailed,${email}`, true)).problems.length, email).toBeGreaterThan(0)
  })

  it('an import of users of 10,000 users is one transaction, and two at the same moment create each user once', async () => {
    const file = `user_id,email\n${Array.from({ length: 10_000 }, (_, n) => `many-${n},many-${n}@example.org`).join('\n')}`
    const before = await countOf('users')
    const answers = await Promise.all([result(file, false), result(file, false)])
    expect(answers.map(({ invitations }) => invitations.length).sort((a, b) => a - b)).toEqual([0, 10_000])
    expect(await countOf('users')).toBe(before + 10_000)
  })

  it('is for admins only', async () => {
    expect(await send('user_id\nx', true, ada)).toMatchObject({ status: 403 })
    expect(await send('x'.repeat(4 * 1024 * 1024 + 1), true)).toMatchObject({ status: 422 })
  })
})
