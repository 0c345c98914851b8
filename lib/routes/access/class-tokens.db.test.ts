import { describe, expect, it, vi } from 'vitest'
import { createProject, deleteProject, updateProject } from '../../access/projects/projects'
import { call } from '../../access/testing/call'
import { findStored, makePerson, makeToken, type Person } from '../../access/testing/people'
import { tokenSchema } from '../../contract/access/access'
import { parseConfig } from '../../contract/config/config'
import { testDatabase } from '../../database/testing/test-database'
import { createdTokensSchema } from '../../people/contract-token-batches'
import { tokenBatchRoutes } from '../../people/routes'
import { jobRoutes } from '../jobs/jobs'
import { tokenRoutes } from './tokens'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

type Who = { cookie?: string; token?: string }
const make = (who: Who, body: object) =>
  call(tokenBatchRoutes.createMany, '/api/token-batches', { method: 'POST', body, ...who })

async function addMember(classId: string, { id }: Person, agreed = true): Promise<void> {
  await db.pool.query(
    `INSERT INTO memberships (project_id, user_id, agreed_at, agreed_kind)
     VALUES ($1, $2, CASE WHEN $3 THEN now() END, CASE WHEN $3 THEN 'class'::"ProjectKind" END)`,
    [classId, id, agreed],
  )
}

/** A class with an owner, a manager and members. */
async function makeClass(members = 2) {
  const [owner, manager] = [await makePerson('admin'), await makePerson()]
  await db.pool.query("UPDATE users SET role = 'researcher', may_create_classes = true WHERE id = $1", [
    owner.id,
  ])
  owner.actor.role = 'researcher'
  const { id } = await createProject(owner.actor, { project_id: 'class-2026', kind: 'class', members: [] })
  await addMember(id, manager)
  await updateProject(owner.actor, id, { add_managers: [manager.handle] })
  const students: Person[] = []
  for (let n = 0; n < members; n++) {
    const student = await makePerson()
    await addMember(id, student)
    students.push(student)
  }
  return { id, owner, manager, students: students as [Person, ...Person[]] }
}

const linesOf = (people: readonly Person[]) => people.map(({ handle }) => handle).join('\n')
const countTokens = async () =>
  (await db.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM api_tokens')).rows[0]?.count

async function makeTokens(who: Who, body: object) {
  const { status, body: answer } = await make(who, body)
  expect(status, JSON.stringify(answer)).toBe(201)
  return createdTokensSchema.parse(answer)
}

describe('tokens for a class', () => {
  it('are made by a manager in one step, each with a config that is complete, and are stored nowhere', async () => {
    const { id, manager, students } = await makeClass(30)
    const made = await makeTokens(manager, { users: linesOf(students), class_id: id, expires_in_days: 30 })
    expect(made.project_id).toBe('class-2026')
    expect(made.tokens.map(({ user_id }) => user_id)).toEqual(students.map(({ handle }) => handle))
    for (const { token, config, user_id, scopes, bound_to, created_by, expires_at } of made.tokens) {
      expect(parseConfig(config)).toMatchObject({
        ok: true,
        token,
        config: { project_id: 'class-2026', user_id, competition_id: 'class-2026' },
      })
      expect(scopes).toEqual(['submit', 'read'])
      expect(bound_to).toMatchObject({ id, project_id: 'class-2026' })
      expect(created_by).toBe(manager.handle)
      expect(expires_at).not.toBeNull()
    }
    expect(await findStored(made.tokens.map(({ token }) => token))).toEqual([])
  })

  it('are made by the owner and by admins too, from CSV and from e-mail addresses', async () => {
    const { id, owner, students } = await makeClass(2)
    const [first, second] = students as [Person, Person]
    const csv = `\uFEFFName;E-Mail\r\nAda "A";${first.email.toUpperCase()}\r\n`.replace(
      'Ada "A"',
      '"Ada ""A"""',
    )
    expect((await makeTokens(owner, { users: csv, class_id: id })).tokens).toMatchObject([
      { user_id: first.handle },
    ])
    const admin = await makePerson('admin')
    const made = await makeTokens(admin, { users: `\n ${second.email} \n`, class_id: id, name: 'exercises' })
    expect(made.tokens).toMatchObject([{ user_id: second.handle, name: 'exercises', bound_to: { id } }])
  })

  it('are recorded one by one, with the class', async () => {
    const { id, manager, students } = await makeClass(3)
    await makeTokens(manager, { users: linesOf(students), class_id: id })
    const { rows } = await db.pool.query<{ target: string; detail: { class: string } }>(
      "SELECT target, detail FROM audit_events WHERE actor_id = $1 AND action = 'token_created' ORDER BY id",
      [manager.id],
    )
    expect(rows.map(({ target }) => target)).toEqual(students.map(({ handle }) => handle))
    expect(rows[0]?.detail.class).toMatch(/\/class-2026$/)
  })

  it('are refused to a member, to a manager of another class, and to strangers', async () => {
    const { id, students } = await makeClass()
    const other = await makeClass()
    const stranger = await makePerson()
    const before = await countTokens()
    const body = { users: linesOf(students), class_id: id }
    expect(await make(students[0], body)).toMatchObject({ status: 403 })
    for (const who of [other.manager, other.owner, stranger])
      expect(await make(who, body)).toMatchObject({ status: 404 })
    expect(await countTokens()).toBe(before)
  })

  it('are refused to a manager for anybody without the class, and with a token of less scopes', async () => {
    const { id, manager, students } = await makeClass()
    expect(await make(manager, { users: linesOf(students), project_id: 'p' })).toMatchObject({ status: 403 })
    const { token } = await makeToken(manager, ['submit'])
    expect(await make({ token }, { users: linesOf(students), class_id: id })).toMatchObject({ status: 403 })
  })

  it('do not outlive the token with which a manager makes them', async () => {
    const { id, manager, students } = await makeClass(1)
    const { token } = await makeToken(manager, ['submit', 'read'], '1 day')
    const { tokens } = await makeTokens(
      { token },
      { users: linesOf(students), class_id: id, expires_in_days: null },
    )
    expect(Date.parse(tokens[0]?.expires_at ?? '')).toBeLessThan(Date.now() + 2 * 86_400_000)
  })

  it('exist only for a class', async () => {
    const owner = await makePerson()
    const { id } = await createProject(owner.actor, { project_id: 'p', members: [] })
    const answer = await make(owner, { users: owner.handle, class_id: id })
    expect(answer).toMatchObject({ status: 409, body: { detail: expect.stringContaining('is no class') } })
  })

  it('are not made at all if a line is wrong, and the answer names each of these lines', async () => {
    const { id, owner, manager, students } = await makeClass(2)
    const [agreed, disabled] = students as [Person, Person]
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [disabled.id])
    const [silent, stranger] = [await makePerson(), await makePerson()]
    await addMember(id, silent, false)
    const before = await countTokens()
    const users = [
      agreed.handle,
      stranger.handle,
      'nobody',
      '',
      silent.handle,
      disabled.handle,
      agreed.email,
      owner.handle,
    ].join('\r\n')
    const { status, body } = await make(manager, { users, class_id: id })
    expect(status).toBe(422)
    const { errors, detail } = body as { errors: { line: number; message: string }[]; detail: string }
    expect(detail).toMatch(/^No token was created\. Line 2: .+ \(and 5 more\)$/)
    expect(errors.map(({ line }) => line)).toEqual([2, 3, 5, 6, 7, 8])
    // Whether somebody has an account is not the manager's to know.
    const without = (index: number, handle: string) => errors[index]?.message.replace(handle, '')
    expect(without(0, stranger.handle)).toBe(without(1, 'nobody'))
    expect(errors[2]?.message).toContain('has not agreed yet')
    expect(errors[3]?.message).toContain('disabled')
    expect(errors[4]?.message).toContain('is in line 1 already')
    expect(errors[5]?.message).toContain('owns the class')
    expect(await countTokens()).toBe(before)
  })

  it('are at most 200 in one request', async () => {
    const { id, manager } = await makeClass()
    const users = Array.from({ length: 201 }, (_, n) => `user${n}`).join('\n')
    expect(await make(manager, { users, class_id: id })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('has 201 users, and 200 are the limit') },
    })
    expect(await make(manager, { users: ' \n', class_id: id })).toMatchObject({ status: 422 })
  })

  it('are at most ten of a member, and new ones replace the earlier ones if the manager says so', async () => {
    const { id, manager, students } = await makeClass(1)
    const body = { users: linesOf(students), class_id: id }
    for (let n = 0; n < 10; n++) await makeTokens(manager, body)
    expect(await make(manager, body)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('Replace the earlier ones') },
    })
    const own = await makeToken(students[0])
    const { tokens } = await makeTokens(manager, { ...body, replace: true })
    const ofStudent = { token: tokens[0]?.token ?? '' }
    expect((await call(jobRoutes.list, '/api/jobs', ofStudent)).status).toBe(200)
    expect((await call(jobRoutes.list, '/api/jobs', own)).status).toBe(200)
    const { rows } = await db.pool.query(
      'SELECT 1 FROM api_tokens WHERE project_id = $1 AND revoked_at IS NULL',
      [id],
    )
    expect(rows).toHaveLength(1)
  })
})

describe('the student', () => {
  it('sees the token with who made it and for which class, and revokes it', async () => {
    const { id, owner, manager, students } = await makeClass(1)
    const [student] = students
    const made = await makeTokens(manager, { users: student.handle, class_id: id })
    const { token = '', token_id = '' } = made.tokens[0] ?? {}
    const { body } = await call(tokenRoutes.list, '/api/tokens', student)
    expect(tokenSchema.array().parse(body)).toMatchObject([
      {
        token_id,
        created_by: manager.handle,
        bound_to: { id, project_id: 'class-2026', owner: owner.handle },
      },
    ])
    expect((await call(jobRoutes.list, '/api/jobs', { token })).status).toBe(200)
    const request = { method: 'DELETE', params: { id: token_id } }
    expect(
      (await call(tokenRoutes.revoke, '/api/tokens/x', { ...request, cookie: manager.cookie })).status,
    ).toBe(404)
    expect(
      (await call(tokenRoutes.revoke, '/api/tokens/x', { ...request, cookie: student.cookie })).status,
    ).toBe(204)
    expect((await call(jobRoutes.list, '/api/jobs', { token })).status).toBe(401)
  })

  it('has no such token any more after leaving the class, also after joining again', async () => {
    const { id, manager, students } = await makeClass(2)
    const [leaving, staying] = students as [Person, Person]
    const { tokens } = await makeTokens(manager, { users: linesOf(students), class_id: id })
    const statusOf = async (index: number) =>
      (await call(jobRoutes.list, '/api/jobs', { token: tokens[index]?.token ?? '' })).status
    expect(await statusOf(0)).toBe(200)
    await updateProject(leaving.actor, id, { remove_members: [leaving.handle] })
    expect([await statusOf(0), await statusOf(1)]).toEqual([401, 200])
    await addMember(id, leaving)
    expect(await statusOf(0)).toBe(401)
    await updateProject(manager.actor, id, { remove_members: [staying.handle] })
    expect(await statusOf(1)).toBe(401)
  })

  it('has no such token any more after the class was deleted', async () => {
    const { id, owner, manager, students } = await makeClass(1)
    const { tokens } = await makeTokens(manager, { users: linesOf(students), class_id: id })
    await deleteProject(owner.actor, id)
    expect((await call(jobRoutes.list, '/api/jobs', { token: tokens[0]?.token ?? '' })).status).toBe(401)
  })
})

describe('tokens that are bound to no class', () => {
  it('are made by an admin for anybody, with the project that the configs name', async () => {
    const [admin, ada, bob] = [await makePerson('admin'), await makePerson(), await makePerson()]
    const body = { users: linesOf([ada, bob]), project_id: 'vision', competition_id: 'cup' }
    const { tokens } = await makeTokens(admin, body)
    expect(tokens.map(({ user_id, bound_to }) => [user_id, bound_to])).toEqual([
      [ada.handle, null],
      [bob.handle, null],
    ])
    expect(parseConfig(tokens[1]?.config ?? '')).toMatchObject({
      config: { project_id: 'vision', competition_id: 'cup', user_id: bob.handle },
    })
    expect(await make(admin, { users: `${ada.handle}\nnobody`, project_id: 'vision' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'users', line: 2, message: 'There is no user “nobody”.' }] },
    })
    const { token } = await makeToken(admin)
    expect(await make({ token }, body)).toMatchObject({ status: 403 })
    expect(await make(admin, { users: ada.handle })).toMatchObject({ status: 422 })
  })
})
