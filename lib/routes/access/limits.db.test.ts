import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { prioritize, submit } from '../testing/queue-client'
import { upload } from '../testing/upload'
import { limitRoutes } from './limits'
import { projectRoutes } from './projects'
import { userRoutes } from './users'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[admin, ada] = [await makePerson('admin'), await makePerson()]
  // The first job creates an environment.
  await makeJob()
})
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, projects CASCADE')
  await db.pool.query(
    "UPDATE users SET max_active_jobs = 1000, submissions_per_minute = 1000, job_limits = '{}'",
  )
})

const setRole = (role: string, body: unknown, who = admin) =>
  call(limitRoutes.updateRole, `/api/limits/roles/${role}`, {
    method: 'PATCH',
    body,
    params: { role },
    cookie: who.cookie,
  })
const setUser = (handle: string, limits: unknown) =>
  call(userRoutes.update, `/api/users/${handle}`, {
    method: 'PATCH',
    body: { limits },
    params: { handle },
    cookie: admin.cookie,
  })
const ownLimits = async (who: Person, query = '') =>
  (await call(limitRoutes.own, `/api/limits${query}`, { cookie: who.cookie })).body

async function makeProject(project_id: string): Promise<(limits: unknown) => Promise<{ status: number }>> {
  const { body } = await call(projectRoutes.create, '/api/projects', {
    method: 'POST',
    body: { project_id },
    cookie: ada.cookie,
  })
  const { id } = body as { id: string }
  return (limits) =>
    call(projectRoutes.update, `/api/projects/${id}`, {
      method: 'PATCH',
      body: { limits },
      params: { id },
      cookie: admin.cookie,
    })
}

describe('the limits of a role', () => {
  it('are safe for researchers, and an admin has none', async () => {
    expect(await ownLimits(ada)).toEqual({
      submissions_per_minute: 1000,
      max_active_jobs: 1000,
      max_priority: 0,
      pools: ['on-demand', 'best-effort'],
      max_time: null,
      max_cpu: 8,
      max_memory_gb: 32,
      max_gpus: 64,
      max_concurrent_gpus: null,
      max_waiting_jobs: 100,
    })
    expect(await ownLimits(admin)).toMatchObject({ max_priority: null, pools: null, max_waiting_jobs: null })
  })

  it('are changed by admins alone, one by one, and recorded', async () => {
    const before = await call(limitRoutes.roles, '/api/limits/roles', { cookie: admin.cookie })
    expect(before.body).toMatchObject({ researcher: { max_priority: 0 }, admin: { max_priority: null } })
    const changed = await setRole('researcher', { max_time: 60, max_gpus: null })
    expect(changed).toMatchObject({ status: 200, body: { max_time: 60, max_gpus: null, max_priority: 0 } })
    expect(await ownLimits(ada)).toMatchObject({ max_time: 60, max_gpus: null, max_priority: 0 })
    expect(await setRole('researcher', { max_time: null, max_gpus: 64 })).toMatchObject({ status: 200 })
    const { rows } = await db.pool.query(
      "SELECT target FROM audit_events WHERE action = 'role_limits_updated'",
    )
    expect(rows).toEqual([{ target: 'researcher' }, { target: 'researcher' }])
    for (const [role, body, who, status] of [
      ['researcher', { max_time: 60 }, ada, 403],
      ['nobody', { max_time: 60 }, admin, 404],
      ['researcher', { max_priority: 101 }, admin, 422],
      ['researcher', { pools: ['none'] }, admin, 422],
      ['researcher', { unknown: 1 }, admin, 422],
    ] as const) {
      expect(await setRole(role, body, who)).toMatchObject({ status })
    }
    expect(await call(limitRoutes.roles, '/api/limits/roles', { cookie: ada.cookie })).toMatchObject({
      status: 403,
    })
  })
})

describe('a priority above the limit', () => {
  const refusal = {
    status: 422,
    body: {
      errors: [{ path: 'priority', message: expect.stringMatching(/at most \d, .*max_priority.*admin/) }],
    },
  }

  it('is refused for uploads, commands and changes, and accepted from an admin', async () => {
    expect(await upload(ada, { config: 'priority: 1' })).toMatchObject(refusal)
    expect(await submit({ command: 'true', priority: 1 }, ada)).toMatchObject(refusal)
    const { body } = await upload(ada, { config: 'priority: -1' })
    const id = String(body.job_id)
    expect(await prioritize(id, { priority: 1 }, ada)).toMatchObject(refusal)
    expect(await prioritize(id, { priority: 0 }, ada)).toMatchObject({ status: 200 })
    expect(await prioritize(id, { priority: 90 }, admin)).toMatchObject({ status: 200 })
    expect(await prioritize(id, { priority: 80 }, ada)).toMatchObject({ status: 200 })
    expect(await upload(admin, { config: 'priority: 100' })).toMatchObject({ status: 202 })
    expect(await submit({ command: 'true', priority: 9, user: ada.handle }, admin)).toMatchObject({
      status: 201,
    })
    const { rows } = await db.pool.query('SELECT count(*)::int AS jobs FROM jobs')
    expect(rows).toEqual([{ jobs: 3 }])
  })

  it("depends on the project's limit, and first on the user's", async () => {
    const setProject = await makeProject('urgent')
    expect(await setProject({ max_priority: 5 })).toMatchObject({ status: 200 })
    const send = (priority: number, project_id: string) =>
      submit({ command: 'true', priority, project_id }, ada)
    expect((await send(5, 'urgent')).status).toBe(201)
    expect((await send(6, 'urgent')).status).toBe(422)
    expect((await send(1, 'other')).status).toBe(422)
    expect(await ownLimits(ada, '?project_id=urgent')).toMatchObject({ max_priority: 5 })
    expect(await setUser(ada.handle, { max_priority: 2 })).toMatchObject({
      body: { limits: { max_priority: 2, max_gpus: null } },
    })
    expect((await send(3, 'urgent')).status).toBe(422)
    expect((await send(2, 'other')).status).toBe(201)
    await setUser(ada.handle, { max_priority: null })
    expect((await send(5, 'urgent')).status).toBe(201)
  })
})

it('the number of waiting jobs is limited, also for concurrent submissions', async () => {
  await setUser(ada.handle, { max_waiting_jobs: 3 })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 ? upload(ada) : submit({ command: 'true' }, ada))),
  )
  expect(answers.filter(({ status }) => status < 300)).toHaveLength(3)
  expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({
    detail: expect.stringMatching(
      /3 waiting jobs \(.*\), and your limit max_waiting_jobs is 3\. .*admin can change/,
    ),
  })
})

it('a job that needs more GPUs than its user may hold at once is refused', async () => {
  await setUser(ada.handle, { max_concurrent_gpus: 1.5 })
  expect(await ownLimits(ada)).toMatchObject({ max_concurrent_gpus: 1.5 })
  expect(await upload(ada, { config: 'gpu_count: 1' })).toMatchObject({ status: 202 })
  expect(await upload(ada, { config: 'gpu_count: 2' })).toMatchObject({
    status: 422,
    body: {
      errors: [
        { path: 'gpu_count', message: expect.stringMatching(/at most 1\.5, .*max_concurrent_gpus.*admin/) },
      ],
    },
  })
})

it('a command without an estimate runs as long as its limits permit', async () => {
  await setUser(ada.handle, { max_time: 120 })
  expect(await submit({ command: 'true' }, ada)).toMatchObject({ status: 201 })
  expect(await submit({ command: 'true', max_time: 121 }, ada)).toMatchObject({ status: 422 })
  const { rows } = await db.pool.query('SELECT time_limit_s, expected_time_s FROM jobs')
  expect(rows).toEqual([{ time_limit_s: 120, expected_time_s: 120 }])
})
