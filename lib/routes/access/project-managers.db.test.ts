import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { readLog } from '../../agents/read-log'
import { artifactRoutes } from '../../artifacts/routes'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import type { ApiHandler } from '../../http/route'
import { jobEvents } from '../../jobs/live/events'
import { findVisibleJob } from '../../jobs/read/job-visibility'
import { metricRoutes } from '../../metrics/routes'
import { shareRoutes } from '../../shares/routes'
import { terminalRoutes } from '../../terminal/routes'
import { workingFileRoutes } from '../../working-files/routes'
import { storageRoutes } from '../archives/storage'
import { jobRoutes } from '../jobs/jobs'
import { queueRoutes } from '../queue/queue'
import { projectRoutes } from './projects'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const roles = [
  'owner',
  'student',
  'fellow',
  'manager',
  'otherManager',
  'former',
  'admin',
  'stranger',
] as const
type RoleName = (typeof roles)[number]
const people = {} as Record<RoleName, Person>
let job = ''
/** A job of the student in another project. */
let privateJob = ''
let [projectId, otherId] = ['', '']

beforeAll(async () => {
  for (const role of roles) people[role] = await makePerson(role === 'admin' ? 'admin' : 'researcher')
  const { owner, student } = people
  const spec = { env: { WANDB_API_KEY: 'the-key' }, notify_url: 'https://example.org/the-hook' }
  job = await makeJob({
    userId: student.id,
    ownerId: owner.id,
    project: 'class',
    spec,
    code: 'print("the answer")',
  })
  privateJob = await makeJob({ userId: student.id, project: 'private' })
  await makeJob({ userId: owner.id, project: 'other' })
  const { rows } = await db.pool.query<{ id: string; slug: string }>(
    'SELECT id, slug FROM projects WHERE owner_id = $1',
    [owner.id],
  )
  projectId = rows.find(({ slug }) => slug === 'class')?.id ?? ''
  otherId = rows.find(({ slug }) => slug === 'other')?.id ?? ''
  const join = (project: string, who: RoleName) =>
    db.pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [project, people[who].id])
  for (const who of ['student', 'fellow', 'manager', 'former'] as const) await join(projectId, who)
  await join(otherId, 'otherManager')
  for (const [project, who] of [
    [projectId, 'manager'],
    [projectId, 'former'],
    [otherId, 'otherManager'],
  ] as const) {
    expect(await change(project, { add_managers: [people[who].handle] }, 'admin')).toMatchObject({
      status: 200,
    })
  }
  const removed = { remove_managers: [people.former.handle] }
  expect(await change(projectId, removed, 'admin')).toMatchObject({
    status: 200,
    body: { managers: [people.manager.handle] },
  })
})

const change = (id: string, body: object, who: RoleName) =>
  call(projectRoutes.update, `/api/projects/${id}`, {
    method: 'PATCH',
    body,
    cookie: people[who].cookie,
    params: { id },
  })

const ask = async (
  handler: ApiHandler,
  who: RoleName,
  {
    id = job,
    method = 'GET',
    query = '',
    body,
  }: { id?: string; method?: string; query?: string; body?: unknown } = {},
) => {
  const { cookie } = people[who]
  return call(handler, `/api/x${query}`, {
    method,
    cookie,
    params: { id },
    ...(body === undefined ? {} : { body }),
  })
}

const readers: RoleName[] = ['student', 'manager', 'admin']
const others = roles.filter((role) => !readers.includes(role))

describe('the jobs of a member', () => {
  const reads: [string, ApiHandler][] = [
    ['status', jobRoutes.get],
    ['result', jobRoutes.result],
    ['source', jobRoutes.source],
    ['artifacts', artifactRoutes.artifacts],
    ['source files', jobRoutes.files],
    ['working files', workingFileRoutes.workingFiles],
    ['metrics', metricRoutes.metrics],
    ['queue', queueRoutes.get],
  ]
  it.each(reads)(
    'can be read by the member, a manager of the project and admins: %s',
    async (_name, handler) => {
      for (const who of readers) expect(await ask(handler, who), who).toMatchObject({ status: 200 })
      for (const who of others) expect(await ask(handler, who), who).toMatchObject({ status: 404 })
    },
  )

  it('the jobs of a member of another project cannot be read by the manager', async () => {
    for (const [, handler] of reads)
      expect(await ask(handler, 'manager', { id: privateJob })).toMatchObject({ status: 404 })
  })

  it('have a log for agents of managers, and for no other agents', async () => {
    const request = { offset: 0, limit: 100, attempt: null, rank: 0 }
    for (const who of readers)
      expect(await readLog(people[who].actor, job, request)).toMatchObject({ text: '' })
    for (const who of others)
      await expect(readLog(people[who].actor, job, request)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('show a manager the program, but no values of variables and no address of notifications', async () => {
    const texts = async (who: RoleName) => JSON.stringify((await ask(jobRoutes.source, who)).body)
    expect(await texts('student')).toContain('the-key')
    const seen = await texts('manager')
    expect(seen).toContain('the answer')
    expect(seen).toContain('WANDB_API_KEY')
    expect(seen).not.toMatch(/the-key|the-hook/)
  })

  it.each<[string, ApiHandler, string, unknown]>([
    ['notes, stars and tags', jobRoutes.update, 'PATCH', { note: 'x' }],
    ['files', storageRoutes.deleteJobFiles, 'DELETE', undefined],
    ['the link of a share', shareRoutes.revoke, 'DELETE', undefined],
    ['shares', shareRoutes.create, 'POST', { expires_in_days: 1, source: false }],
    ['links to files', artifactRoutes.link, 'POST', { file: 'result', expires_in: 60 }],
    ['the terminal', terminalRoutes.type, 'POST', undefined],
    ['the priority', queueRoutes.setPriority, 'PATCH', { priority: -1 }],
    ['a hold', queueRoutes.setHeld, 'PATCH', { held: true }],
  ])('are not changed by a manager: %s', async (_name, handler, method, body) => {
    expect(await ask(handler, 'manager', { method, body })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('read and cancel') },
    })
    for (const who of others)
      expect(await ask(handler, who, { method, body }), who).toMatchObject({ status: 404 })
  })

  it('do not show their links to a manager', async () => {
    expect(await ask(shareRoutes.list, 'manager')).toMatchObject({ status: 403 })
  })
})

describe('the list of jobs', () => {
  const ids = async (who: RoleName, q?: string) => {
    const query = q === undefined ? '' : `?${new URLSearchParams({ q })}`
    const { status, body } = await ask(jobRoutes.list, who, { query })
    return status === 200 ? (body as { job_id: string }[]).map(({ job_id }) => job_id) : status
  }

  it('the list of jobs of a manager has their own jobs, and those of members if the search names users', async () => {
    expect(await ids('manager')).toEqual([])
    expect(await ids('manager', 'user:*')).toEqual([job])
    expect(await ids('manager', 'project:class user:*')).toEqual([job])
    expect(await ids('manager', `user:${people.student.handle}`)).toEqual([job])
    expect(await ids('manager', 'project:private user:*')).toEqual([])
    expect(await ids('otherManager', 'project:other user:*')).toHaveLength(1)
  })

  it('the list of jobs of others has no more jobs than before', async () => {
    expect(await ids('otherManager', `user:${people.student.handle}`)).toEqual([])
    for (const who of ['fellow', 'former', 'stranger'] as const) {
      expect(await ids(who, 'user:*')).toEqual([])
      expect(await ids(who, `user:${people.student.handle}`)).toBe(403)
    }
    for (const who of ['student', 'manager', 'former'] as const)
      expect(await ask(jobRoutes.list, who, { query: '?all=true' }), who).toMatchObject({ status: 403 })
    const byId = `?user_id=${people.student.handle}`
    expect((await ask(jobRoutes.list, 'manager', { query: byId })).body).toMatchObject([{ job_id: job }])
    expect((await ask(jobRoutes.list, 'otherManager', { query: byId })).body).toEqual([])
    expect(await ask(jobRoutes.list, 'former', { query: byId })).toMatchObject({ status: 403 })
    expect(await ids('student', 'user:*')).toHaveLength(2)
    expect(await ids('admin', `project:class user:*`)).toEqual([job])
  })

  it('suggests to a manager the members of their projects', async () => {
    const suggested = async (who: RoleName) =>
      (await ask(jobRoutes.suggest, who, { query: '?key=user&text=researcher' })).body
    expect(await suggested('manager')).toContain(people.student.handle)
    expect(await suggested('manager')).not.toContain(people.stranger.handle)
    for (const who of ['fellow', 'former', 'stranger'] as const)
      expect(await suggested(who)).toEqual([people[who].handle])
  })

  it('the list of jobs and the queue show who submitted a job only to those who may see it', async () => {
    const named = async (who: RoleName) =>
      ((await ask(queueRoutes.list, who)).body as { queued: { job_id: string | null }[] }).queued.some(
        ({ job_id }) => job_id === job,
      )
    for (const who of readers) expect(await named(who), who).toBe(true)
    for (const who of others) expect(await named(who), who).toBe(false)
  })
})

describe('the live events of a job', () => {
  const follow = async ({ actor }: Person) =>
    jobEvents(actor, await findVisibleJob(actor, job), { lastEventId: null }, new AbortController().signal)

  it('end soon after a manager became a member again', async () => {
    expect((await ask(jobRoutes.events, 'stranger')).status).toBe(404)
    await change(projectId, { add_managers: [people.former.handle] }, 'admin')
    const response = await follow(people.former)
    await change(projectId, { remove_managers: [people.former.handle] }, 'owner')
    // The stream of a waiting job would never end by itself.
    expect(await response.text()).toContain('event: job')
  })

  it('end soon after an admin became a researcher', async () => {
    const demoted = await makePerson('admin')
    const response = await follow(demoted)
    await db.pool.query("UPDATE users SET role = 'researcher' WHERE id = $1", [demoted.id])
    expect(await response.text()).toContain('event: job')
  })
})

describe('the members of a project', () => {
  it('are invited and removed by a manager, who changes nothing else', async () => {
    const handle = 'somebody-new'
    expect(await change(projectId, { add_members: [handle] }, 'manager')).toMatchObject({
      status: 200,
      body: { invited: [handle] },
    })
    expect(await change(projectId, { remove_members: [handle] }, 'manager')).toMatchObject({
      status: 200,
      body: { invited: [] },
    })
    for (const body of [
      { name: 'x' },
      { retention_days: 1 },
      { shares: { weight: 9 } },
      { limits: { max_active_jobs: 9 } },
      { storage_quota_gib: 1 },
      { add_managers: [people.fellow.handle] },
      { add_members: [handle], name: 'x' },
    ]) {
      expect(await change(projectId, body, 'manager'), JSON.stringify(body)).toMatchObject({ status: 403 })
      expect(await change(projectId, body, 'former'), JSON.stringify(body)).toMatchObject({ status: 403 })
    }
    expect(await change(projectId, { add_members: [handle] }, 'fellow')).toMatchObject({ status: 403 })
    expect(await change(projectId, { add_members: [handle] }, 'otherManager')).toMatchObject({ status: 404 })
  })

  it('become managers only by an admin, and only if they are members or the owner', async () => {
    const add = (who: RoleName) => ({ add_managers: [people[who].handle] })
    expect(await change(projectId, add('owner'), 'owner')).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('Only admins') },
    })
    expect(await change(projectId, add('stranger'), 'admin')).toMatchObject({ status: 422 })
    expect(await ask(jobRoutes.get, 'owner')).toMatchObject({ status: 404 })
    expect(await change(projectId, add('owner'), 'admin')).toMatchObject({ status: 200 })
    expect(await ask(jobRoutes.get, 'owner')).toMatchObject({ status: 200 })
    expect(await change(projectId, { remove_managers: [people.owner.handle] }, 'owner')).toMatchObject({
      status: 200,
    })
    expect(await ask(jobRoutes.get, 'owner')).toMatchObject({ status: 404 })
  })

  it('the members of a project who manage it are removed by the owner and not by each other', async () => {
    await change(projectId, { add_managers: [people.fellow.handle] }, 'admin')
    for (const body of [
      { remove_members: [people.fellow.handle] },
      { remove_managers: [people.fellow.handle] },
    ])
      expect(await change(projectId, body, 'manager')).toMatchObject({ status: 403 })
    expect(
      await change(projectId, { remove_members: [people.fellow.handle.toUpperCase()] }, 'owner'),
    ).toMatchObject({ status: 200 })
    expect(await ask(jobRoutes.get, 'fellow')).toMatchObject({ status: 404 })
  })
})

describe('a cancellation', () => {
  it('a cancellation by a manager says so, is recorded, and is refused to others', async () => {
    for (const who of others)
      expect(await ask(jobRoutes.cancel, who, { method: 'POST' }), who).toMatchObject({ status: 404 })
    expect(await ask(jobRoutes.cancel, 'manager', { method: 'POST' })).toMatchObject({
      status: 200,
      body: { status: 'cancelled', reason: 'cancelled_by_manager' },
    })
    const { rows } = await db.pool.query(
      "SELECT actor_id FROM audit_events WHERE action = 'job_cancelled' AND target = $1",
      [job],
    )
    expect(rows).toEqual([{ actor_id: people.manager.id }])
  })
})
