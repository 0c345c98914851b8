import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { deleteExpiredInvitations } from '../../access/projects/project-invitations'
import { call, readPages } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { type Project, projectInvitationSchema, projectSchema } from '../../contract/access/projects'
import { testDatabase } from '../../database/testing/test-database'
import { projectInvitationRoutes, projectRoutes } from './projects'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, owner, member, outsider] = [] as unknown as [Person, Person, Person, Person]
beforeAll(async () => {
  ;[admin, owner, member, outsider] = [
    await makePerson('admin'),
    await makePerson(),
    await makePerson(),
    await makePerson(),
  ]
})

type Who = { cookie?: string; token?: string }
const create = (who: Who, body: object | null) =>
  call(projectRoutes.create, '/api/projects', { method: 'POST', body, ...who })
const patch = (who: Who, id: string, body: object | null) =>
  call(projectRoutes.update, `/api/projects/${id}`, { method: 'PATCH', body, params: { id }, ...who })
const get = (who: Who, id: string) =>
  call(projectRoutes.get, `/api/projects/${id}`, { params: { id }, ...who })
const remove = async (who: Who, id: string) =>
  (await call(projectRoutes.remove, `/api/projects/${id}`, { method: 'DELETE', params: { id }, ...who }))
    .status

const invitationsOf = async (who: Who) =>
  z
    .array(projectInvitationSchema)
    .parse((await call(projectInvitationRoutes.list, '/api/project-invitations', who)).body)
const answer = (who: Who, id: string, accept: boolean) =>
  call(projectInvitationRoutes.answer, `/api/project-invitations/${id}`, {
    method: 'POST',
    body: { accept },
    params: { id },
    ...who,
  })

/** Accepts the user's invitation to a project. */
async function join(who: Who, { project_id, owner }: Project): Promise<void> {
  const invitation = (await invitationsOf(who)).find(
    (open) => open.project_id === project_id && open.owner === owner,
  )
  expect((await answer(who, invitation?.id ?? '', true)).status).toBe(204)
}

/** A project of `owner` that is shared with `member`. */
async function shared(): Promise<Project> {
  const { body } = await create(owner, { project_id: `p-${randomUUID()}`, members: [member.handle] })
  const project = projectSchema.parse(body)
  await join(member, project)
  return project
}

describe('creating a project', () => {
  it('makes the caller its owner; names are unique per owner', async () => {
    const made = await create(owner, {
      project_id: 'cifar',
      name: 'CIFAR',
      members: [member.handle, owner.handle],
    })
    const project = { project_id: 'cifar', name: 'CIFAR', owner: owner.handle, members: [] }
    expect(made).toMatchObject({ status: 201, body: { ...project, invited: [member.handle] } })
    expect(made.headers.get('location')).toBe(`/api/projects/${projectSchema.parse(made.body).id}`)
    expect(await create(owner, { project_id: 'cifar' })).toMatchObject({ status: 409 })
    expect(await create(outsider, { project_id: 'cifar' })).toMatchObject({ status: 201 })
  })

  it('returns the names of its owner and members who have one', async () => {
    const { id, names } = await shared()
    expect(names).toEqual({})
    await db.pool.query(`UPDATE users SET name = 'Ada Lovelace' WHERE handle = $1`, [member.handle])
    expect(await get(owner, id)).toMatchObject({ body: { names: { [member.handle]: 'Ada Lovelace' } } })
  })

  it('creating a project for another user needs an admin', async () => {
    const body = { project_id: 'course', owner: owner.handle }
    expect(await create(outsider, body)).toMatchObject({ status: 403 })
    expect(await create(admin, body)).toMatchObject({ status: 201, body: { owner: owner.handle } })
    expect(await create(admin, { ...body, owner: 'nobody' })).toMatchObject({ status: 404 })
  })

  it('answers the same whether or not the invited users exist', async () => {
    const withMember = async (project_id: string, handle: string) => {
      const { status, body } = await create(owner, { project_id, members: [handle] })
      const { id: _, project_id: __, created_at: ___, ...project } = projectSchema.parse(body)
      return { status, project }
    }
    const [known, unknown] = [
      await withMember('known', outsider.handle),
      await withMember('unknown', 'nobody'),
    ]
    expect(known.project.invited).toEqual([outsider.handle])
    expect(unknown.project.invited).toEqual(['nobody'])
    expect({ ...unknown, project: { ...unknown.project, invited: [] } }).toEqual({
      ...known,
      project: { ...known.project, invited: [] },
    })
  })

  it('needs more than a read-only token', async () => {
    const { token } = await makeToken(owner, ['read'])
    expect(await create({ token }, { project_id: 'x' })).toMatchObject({ status: 403 })
  })
})

describe('a project', () => {
  it('is visible to its owner, its members and admins only', async () => {
    const { id } = await shared()
    const unprivileged = await makeToken(admin, ['read'])
    for (const who of [owner, member, admin]) expect((await get(who, id)).status).toBe(200)
    for (const who of [outsider, { token: unprivileged.token }]) {
      const [hidden, missing] = [await get(who, id), await get(who, randomUUID())]
      expect([hidden.status, hidden.body]).toEqual([404, missing.body])
    }
    expect((await get(owner, "x' OR 1=1")).status).toBe(404)
    expect((await patch(outsider, id, { name: 'mine' })).status).toBe(404)
    expect(await remove(outsider, id)).toBe(404)
  })

  it('can be changed by its owner; a member can only leave', async () => {
    const { id } = await shared()
    const renamed = await patch(owner, id, { name: 'New', add_members: [outsider.handle, member.handle] })
    expect(renamed.body).toMatchObject({ name: 'New', members: [member.handle], invited: [outsider.handle] })
    expect((await patch(member, id, { name: 'Mine' })).status).toBe(403)
    expect((await patch(member, id, { remove_members: [outsider.handle] })).status).toBe(403)
    expect((await patch(member, id, { add_members: [admin.handle] })).status).toBe(403)
    expect((await patch(member, id, { remove_members: [member.handle] })).status).toBe(200)
    expect((await get(member, id)).status).toBe(404)
    expect((await patch(owner, id, { remove_members: ['nobody'] })).status).toBe(200)
  })

  it('has limits that only an admin can set', async () => {
    const { id } = await shared()
    const limits = { max_active_jobs: 4 }
    expect((await patch(owner, id, { limits })).status).toBe(403)
    const set = await patch(admin, id, { limits })
    expect(set.body).toMatchObject({ limits: { max_active_jobs: 4, submissions_per_minute: null } })
    expect((await patch(owner, id, { name: 'kept' })).body).toMatchObject({ limits })
  })

  it('has shares of the cluster that its members can see and only an admin can set', async () => {
    const { id, shares: before } = await shared()
    const budget = { budget_period: 'total', budget_when_used_up: 'wait' }
    expect(before).toEqual({ weight: 1, gpu_quota: null, gpu_hour_budget: null, ...budget })
    const shares = { weight: 2.5, gpu_quota: 1.5, gpu_hour_budget: 100, ...budget, budget_period: 'week' }
    expect((await patch(owner, id, { shares })).status).toBe(403)
    expect((await patch(member, id, { shares: {} })).status).toBe(403)
    expect((await patch(admin, id, { shares })).body).toMatchObject({ shares })
    expect((await patch(admin, id, { shares: { gpu_quota: null } })).status).toBe(200)
    expect((await patch(owner, id, { name: 'kept' })).status).toBe(200)
    expect((await get(member, id)).body).toMatchObject({ shares: { ...shares, gpu_quota: null } })
    const { rows } = await db.pool.query(
      "SELECT detail->'shares' AS shares FROM audit_events WHERE detail ? 'shares' ORDER BY id LIMIT 1",
    )
    expect(rows).toEqual([{ shares }])
  })

  it('has a budget that its owner can set, up to that of the admin', async () => {
    const { id } = await shared()
    expect((await patch(admin, id, { shares: { gpu_hour_budget: 100 } })).status).toBe(200)
    expect((await patch(member, id, { owner_gpu_hour_budget: 40 })).status).toBe(403)
    const refused = await patch(owner, id, { owner_gpu_hour_budget: 100.5 })
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: 'owner_gpu_hour_budget: must be at most 100, the budget that an admin set' },
    })
    expect((await patch(owner, id, { owner_gpu_hour_budget: 40 })).status).toBe(200)
    const budgets = async () =>
      (await db.pool.query('SELECT gpu_hours FROM budgets WHERE owner_id = $1', [id])).rows
    expect(await budgets()).toEqual([{ gpu_hours: 40 }])
    // A smaller one of the admin counts.
    await patch(admin, id, { shares: { gpu_hour_budget: 30 } })
    expect(await budgets()).toEqual([{ gpu_hours: 30 }])
    await patch(admin, id, { shares: { gpu_hour_budget: null } })
    await patch(owner, id, { owner_gpu_hour_budget: null })
    expect(await budgets()).toEqual([])
  })

  it('rejects invalid shares', async () => {
    const { id } = await shared()
    for (const shares of [
      { weight: 0 },
      { weight: -1 },
      { weight: 1e300 },
      { gpu_quota: -1 },
      { gpu_quota: 0.0005 },
      { gpu_quota: 3_000_000 },
      { gpu_quota: '2' },
      { gpu_hour_budget: -0.1 },
      { gpu_hours: 5 },
      [],
    ]) {
      const { status } = await patch(admin, id, { shares })
      expect([shares, status]).toEqual([shares, 422])
    }
    expect((await patch(admin, id, { weight: 2 })).status).toBe(422)
    expect((await patch(admin, id, null)).status).toBe(422)
    for (const gpu_quota of [0, 0.001, 0.29, 1.001, 100_000]) {
      expect((await patch(admin, id, { shares: { gpu_quota } })).body).toMatchObject({
        shares: { gpu_quota },
      })
    }
  })

  it('reports the GPU hours of its jobs, including running jobs', async () => {
    const job = await makeJob({ userId: owner.id })
    const { rows } = await db.pool.query('SELECT project_id FROM jobs WHERE id = $1', [job])
    const id = rows[0].project_id
    const used = async () => projectSchema.parse((await get(owner, id)).body).gpu_hours_used
    expect(await used()).toBe(0)
    const { nodeId } = await makeNode({ gpus: 3 })
    await placeManually(nodeId, job, { indices: [0, 1], milli: 1000 })
    await placeManually(nodeId, await makeJob({ userId: owner.id }), { indices: [2], milli: 250 })
    await placeManually(nodeId, await makeJob(), { indices: [2], milli: 500 })
    await db.pool.query("UPDATE allocations SET created_at = now() - interval '2 hours'")
    // The jobs still run: one minute more is 0.04 hours.
    expect(await used()).toBeCloseTo(4.5, 1)
    await db.pool.query("UPDATE allocations SET released_at = created_at + interval '1 hour'")
    expect(await used()).toBeCloseTo(2.25, 3)
    await db.pool.query('DELETE FROM jobs')
  })

  it('can be deleted by its owner, unless it has jobs', async () => {
    const { id, project_id } = await shared()
    expect(await remove(member, id)).toBe(403)
    await makeJob({ userId: owner.id, project: project_id })
    expect(await remove(owner, id)).toBe(409)
    await db.pool.query('DELETE FROM jobs')
    expect(await remove(owner, id)).toBe(204)
    expect(await remove(owner, id)).toBe(404)
  })
})

describe('an invitation to a project', () => {
  it('gives no access until the user accepts it', async () => {
    const invited = await makePerson()
    const { id } = await shared()
    await patch(owner, id, { add_members: [invited.handle.toUpperCase()] })
    expect((await get(invited, id)).status).toBe(404)
    const [invitation] = await invitationsOf(invited)
    expect(invitation).toMatchObject({ owner: owner.handle })
    for (const who of [outsider, owner, admin]) {
      expect((await answer(who, invitation?.id ?? '', true)).status).toBe(404)
    }
    const { token } = await makeToken(invited, ['read'])
    expect((await answer({ token }, invitation?.id ?? '', true)).status).toBe(403)
    expect((await answer(invited, invitation?.id ?? '', true)).status).toBe(204)
    const project = projectSchema.parse((await get(invited, id)).body)
    expect(project.members).toContain(invited.handle)
    expect((await get(owner, id)).body).toMatchObject({ invited: [] })
    expect((await answer(invited, invitation?.id ?? '', true)).status).toBe(404)
    expect(await invitationsOf(invited)).toEqual([])
  })

  it('is not sent again after the user declined, and the inviter cannot tell', async () => {
    const invited = await makePerson()
    const { id } = await shared()
    await patch(owner, id, { add_members: [invited.handle, 'nobody'] })
    const [invitation] = await invitationsOf(invited)
    expect((await answer(invited, invitation?.id ?? '', false)).status).toBe(204)
    expect((await answer(invited, invitation?.id ?? '', true)).status).toBe(404)
    const again = await patch(owner, id, { add_members: [invited.handle, 'nobody'] })
    expect(again.body).toMatchObject({ invited: ['nobody', invited.handle].sort() })
    expect(await invitationsOf(invited)).toEqual([])
    expect((await get(invited, id)).status).toBe(404)
  })

  it('is withdrawn by the owner, and expires', async () => {
    const [first, second] = [await makePerson(), await makePerson()]
    const { id } = await shared()
    await patch(owner, id, { add_members: [first.handle, second.handle] })
    const [invitation] = await invitationsOf(first)
    const withdrawn = await patch(owner, id, { remove_members: [first.handle] })
    expect(withdrawn.body).toMatchObject({ invited: [second.handle] })
    expect((await answer(first, invitation?.id ?? '', true)).status).toBe(404)
    const expire = () =>
      db.pool.query(
        "UPDATE project_invitations SET expires_at = now() - interval '1 second' WHERE project_id = $1",
        [id],
      )
    await expire()
    expect(await invitationsOf(second)).toEqual([])
    expect((await get(owner, id)).body).toMatchObject({ invited: [] })
    await patch(owner, id, { add_members: [second.handle] })
    expect(await invitationsOf(second)).toHaveLength(1)
    await expire()
    await deleteExpiredInvitations()
    const { rowCount } = await db.pool.query('SELECT 1 FROM project_invitations WHERE project_id = $1', [id])
    expect(rowCount).toBe(0)
  })

  it('is shown to the owner and admins, not to members', async () => {
    const { id } = await shared()
    await patch(owner, id, { add_members: ['nobody'] })
    const invited = async (who: Who) => projectSchema.parse((await get(who, id)).body).invited
    expect([await invited(owner), await invited(admin), await invited(member)]).toEqual([
      ['nobody'],
      ['nobody'],
      [],
    ])
  })

  it('has a limit per project', async () => {
    const { id } = await shared()
    const handles = (prefix: string) => Array.from({ length: 999 }, (_, i) => `${prefix}-${i}`)
    expect((await patch(owner, id, { add_members: handles('a') })).status).toBe(200)
    expect((await patch(owner, id, { add_members: handles('b') })).status).toBe(409)
    expect(projectSchema.parse((await get(owner, id)).body).invited).toHaveLength(999)
  })
})

describe('the list of projects', () => {
  it('has every visible project once, over all pages', async () => {
    const newcomer = await makePerson()
    const own = await Promise.all(['a', 'b', 'c'].map((project_id) => create(newcomer, { project_id })))
    const { body } = await create(owner, { project_id: 'for-newcomer', members: [newcomer.handle] })
    await join(newcomer, projectSchema.parse(body))
    const expected = [...own.map(({ body }) => body), body].map((project) => projectSchema.parse(project).id)
    const pages = await readPages(projectRoutes.list, '/api/projects?limit=2', newcomer)
    const ids = (pages.flat() as Project[]).map(({ id }) => id)
    expect([ids.sort(), pages.length]).toEqual([expected.sort(), 2])
    expect((await call(projectRoutes.list, '/api/projects?all=true', newcomer)).status).toBe(403)

    const all = (await readPages(projectRoutes.list, '/api/projects?all=true&limit=200', admin)).flat()
    const { rowCount } = await db.pool.query('SELECT 1 FROM projects')
    expect(all).toHaveLength(rowCount ?? -1)
  })
})
