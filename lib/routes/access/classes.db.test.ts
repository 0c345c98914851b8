import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { updateMembership } from '../../access/projects/membership'
import { createProject, updateProject } from '../../access/projects/projects'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { createJob } from '../../agents/submit-tools'
import { createJobSchema } from '../../agents/tool-schemas'
import { registerArchive } from '../../archives/register'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import type { ApiHandler } from '../../http/route'
import { createJoinLink } from '../../join-links/join-links'
import { joinLinkRoutes } from '../../join-links/routes'
import { shareRoutes } from '../../shares/routes'
import { terminalRoutes } from '../../terminal/routes'
import { storageRoutes } from '../archives/storage'
import { jobRoutes } from '../jobs/jobs'
import { queueRoutes } from '../queue/queue'
import { submissionRoutes } from '../submission/submission'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

beforeAll(async () => {
  // The first job creates an environment.
  await makeJob()
})

interface SubmittedJob {
  job_id: string
  project_note?: string
}

async function submitConfig(
  { cookie }: Person,
  config: string,
): Promise<{ status: number; body: SubmittedJob }> {
  const form = new FormData()
  form.append('code', new Blob(['print(1)']), 'solution.py')
  form.append('config_file', new Blob([config]), 'config.yaml')
  const request = new Request('http://localhost:8001/api/submit?wait=false', {
    method: 'POST',
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
    body: form,
  })
  const response = await submissionRoutes.submit(request, { params: Promise.resolve({}) })
  return { status: response.status, body: await response.json() }
}

const configOf = (project: string) => `competition_id: c\nproject_id: ${project}\nexpected_time: 10\n`

async function projectOf(jobId: string): Promise<string> {
  const { rows } = await db.pool.query('SELECT project_id FROM jobs WHERE id = $1', [jobId])
  return rows[0]?.project_id
}

async function linkOf(owner: Person, id: string): Promise<string> {
  const given = { max_people: 100, expires_in_days: 1, new_accounts: false }
  const { url } = await createJoinLink(owner.actor, id, given, 'http://localhost:8001')
  return url.split('/').at(-1) ?? ''
}

const joinWith = ({ cookie }: Person, token: string, body?: object) =>
  call(joinLinkRoutes.join, '/api/join/x', {
    method: 'POST',
    cookie,
    params: { token },
    ...(body ? { body } : {}),
  })

describe('the config of the instructor guide', () => {
  it('works as printed for a class of 30: all jobs are in the project of the class', async () => {
    const guide = readFileSync('docs/instructors.md', 'utf8')
    const config = guide.match(/```yaml\n(competition_id[\s\S]*?)```/)?.[1] ?? ''
    const teacher = await makePerson('admin')
    const people: Person[] = []
    for (let n = 0; n < 30; n++) people.push(await makePerson())
    const [early, keeper] = people as [Person, Person]
    // These two tried the config before they had joined.
    const old = await submitConfig(early, config)
    expect(old).toMatchObject({
      status: 202,
      body: { project_note: expect.stringContaining('created the private project "class-2026"') },
    })
    const kept = await submitConfig(keeper, config)
    await db.pool.query("UPDATE users SET max_active_jobs = 10 WHERE role = 'researcher'")

    const { id } = await createProject(teacher.actor, {
      project_id: 'class-2026',
      kind: 'class',
      members: [],
    })
    const token = await linkOf(teacher, id)
    expect(await joinWith(early, token)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'agree_to' }] },
    })
    for (const person of people) {
      const asked = person === early || person === keeper
      expect(await joinWith(person, token, { agree_to: 'class' })).toMatchObject({
        status: 200,
        body: { project_id: 'class-2026', asks: asked },
      })
    }
    await updateMembership(early.actor, id, { preferred: true })
    await updateMembership(keeper.actor, await projectOf(kept.body.job_id), { preferred: true })

    for (const person of people) {
      const { status, body } = await submitConfig(person, config)
      expect([status, body.project_note]).toEqual([202, undefined])
      const expected = person === keeper ? await projectOf(kept.body.job_id) : id
      expect(await projectOf(body.job_id), person.handle).toBe(expected)
    }
    // Whoever answered that they mean their own project changes their mind.
    await updateMembership(keeper.actor, id, { preferred: true })
    expect(await projectOf((await submitConfig(keeper, config)).body.job_id)).toBe(id)

    const { body } = await call(
      jobRoutes.list,
      `/api/jobs?limit=200&${new URLSearchParams({ q: 'project:class-2026 user:*' })}`,
      {
        cookie: teacher.cookie,
      },
    )
    expect(new Set((body as { user_id: string }[]).map(({ user_id }) => user_id)).size).toBe(30)
  })
})

describe('an answer to a submission that creates a project', () => {
  it('says so once, through each interface, also if an upload created it before', async () => {
    const ada = await makePerson()
    await db.pool.query(
      'UPDATE users SET max_active_jobs = 100, submissions_per_minute = 100 WHERE id = $1',
      [ada.id],
    )
    expect((await submitConfig(ada, configOf('one'))).body.project_note).toContain('"one"')
    expect((await submitConfig(ada, configOf('one'))).body.project_note).toBeUndefined()
    expect((await submitConfig(ada, configOf('default'))).body.project_note).toBeUndefined()

    const queued = (project_id: string) =>
      call(queueRoutes.submit, '/api/queue/submit', {
        method: 'POST',
        cookie: ada.cookie,
        body: { command: 'true', project_id },
      })
    expect((await queued('two')).body).toMatchObject({ project_note: expect.stringContaining('"two"') })
    expect((await queued('two')).body).not.toHaveProperty('project_note')

    const limits = { submissionsPerMinute: 100, maxActiveJobs: 100 }
    const tool = {
      actor: { ...ada.actor, limits },
      origin: 'http://localhost:8001',
      signal: new AbortController().signal,
    }
    const input = (name: string) =>
      createJobSchema.parse({ name, gpu_count: 1, instance_count: 1, command: 'true', project_id: 'three' })
    expect(await createJob(tool, input('a'))).toMatchObject({
      project_note: expect.stringContaining('"three"'),
    })
    expect(await createJob(tool, input('b'))).not.toHaveProperty('project_note')

    await registerArchive(ada.actor, 'four', [])
    expect((await submitConfig(ada, configOf('four'))).body.project_note).toContain('"four"')

    await createProject(ada.actor, { project_id: 'five', members: [] })
    expect((await submitConfig(ada, configOf('five'))).body.project_note).toBeUndefined()
  })
})

describe.each(['class', 'team'] as const)('the jobs of members of a %s', (kind) => {
  const people = {} as Record<'owner' | 'manager' | 'student' | 'fellow' | 'silent' | 'gone', Person>
  const names = ['owner', 'manager', 'student', 'fellow', 'silent', 'gone'] as const
  const jobs: Record<string, string> = {}
  let id = ''
  beforeAll(async () => {
    for (const name of names) people[name] = await makePerson()
    const { owner, manager, student, fellow, silent, gone } = people
    await db.pool.query('UPDATE users SET may_create_classes = true WHERE id = $1', [owner.id])
    id = (await createProject(owner.actor, { project_id: 'course', kind, members: [] })).id
    const token = await linkOf(owner, id)
    for (const who of [manager, student, fellow, gone]) await joinWith(who, token, { agree_to: kind })
    // As an import of users adds them.
    await db.pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [id, silent.id])
    // A team of earlier versions may have a manager in its rows.
    await db.pool.query("UPDATE memberships SET role = 'manager' WHERE user_id = $1", [manager.id])
    const spec = { env: { WANDB_API_KEY: 'the-key' } }
    for (const name of names) {
      const userId = people[name].id
      jobs[name] = await makeJob({
        userId,
        ownerId: owner.id,
        project: 'course',
        spec,
        code: 'print("the answer")',
      })
    }
    await updateProject(owner.actor, id, { remove_members: [gone.handle] })
  })

  const ask = async (handler: ApiHandler, who: keyof typeof people, job: string, more: object = {}) =>
    call(handler, '/api/x', { cookie: people[who].cookie, params: { id: jobs[job] ?? '' }, ...more })
  const sees = kind === 'class' ? (['owner', 'manager'] as const) : (['owner'] as const)
  const blind = kind === 'class' ? (['fellow', 'silent', 'gone'] as const) : (['manager', 'fellow'] as const)

  it('are read by its owner, and in a class by its managers', async () => {
    for (const handler of [jobRoutes.get, jobRoutes.result, jobRoutes.source, jobRoutes.files]) {
      for (const who of sees) expect(await ask(handler, who, 'student'), who).toMatchObject({ status: 200 })
      for (const who of blind) expect(await ask(handler, who, 'student'), who).toMatchObject({ status: 404 })
    }
    for (const who of sees) {
      const { body } = await call(jobRoutes.list, '/api/jobs?q=project:course%20user:*', {
        cookie: people[who].cookie,
      })
      const ids = (body as { job_id: string }[]).map(({ job_id }) => job_id)
      expect(ids).toEqual(expect.arrayContaining([jobs.student, jobs.fellow]))
      expect(ids).not.toContain(jobs.silent)
    }
  })

  it('are not read if the user has not agreed, has left, or owns the project', async () => {
    for (const who of sees)
      for (const job of ['silent', 'gone', ...(who === 'owner' ? [] : ['owner'])])
        expect(await ask(jobRoutes.get, who, job), `${who}: ${job}`).toMatchObject({ status: 404 })
    expect(await ask(jobRoutes.get, 'silent', 'silent')).toMatchObject({ status: 200 })
    // Whoever is a member agrees by the link too, also if it no longer works.
    const token = await linkOf(people.owner, id)
    await db.pool.query('UPDATE join_links SET revoked_at = now() WHERE project_id = $1', [id])
    expect(await joinWith(people.silent, token)).toMatchObject({ status: 200 })
    for (const who of sees) expect(await ask(jobRoutes.get, who, 'silent')).toMatchObject({ status: 404 })
    expect(await joinWith(people.silent, token, { agree_to: kind })).toMatchObject({ status: 200 })
    for (const who of sees) expect(await ask(jobRoutes.get, who, 'silent')).toMatchObject({ status: 200 })
  })

  it('show no values of variables, and are not changed by anybody else', async () => {
    for (const who of sees) {
      const seen = JSON.stringify((await ask(jobRoutes.source, who, 'student')).body)
      expect(seen).toContain('WANDB_API_KEY')
      expect(seen).not.toContain('the-key')
      const refused: [ApiHandler, string, object?][] = [
        [jobRoutes.update, 'PATCH', { note: 'x' }],
        [storageRoutes.deleteJobFiles, 'DELETE'],
        [shareRoutes.create, 'POST', { expires_in_days: 1, source: false }],
        [terminalRoutes.type, 'POST'],
        [queueRoutes.setHeld, 'PATCH', { held: true }],
      ]
      for (const [handler, method, body] of refused)
        expect(await ask(handler, who, 'student', { method, ...(body ? { body } : {}) })).toMatchObject({
          status: 403,
        })
    }
  })

  it('are cancelled by those who see them', async () => {
    for (const who of blind)
      expect(await ask(jobRoutes.cancel, who, 'student', { method: 'POST' })).toMatchObject({
        status: 404,
      })
    const by = sees[sees.length - 1] ?? 'owner'
    expect(await ask(jobRoutes.cancel, by, 'student', { method: 'POST' })).toMatchObject({
      status: 200,
      body: { status: 'cancelled', reason: 'cancelled_by_manager' },
    })
  })
})

describe('a project with managers that becomes a class', () => {
  it('shows them the jobs of each member again once the member agrees', async () => {
    const [admin, manager, student] = [await makePerson('admin'), await makePerson(), await makePerson()]
    const { id } = await createProject(admin.actor, { project_id: 'grown', members: [] })
    const token = await linkOf(admin, id)
    for (const who of [manager, student]) expect(await joinWith(who, token)).toMatchObject({ status: 200 })
    await updateProject(admin.actor, id, { add_managers: [manager.handle] })
    const job = await makeJob({ userId: student.id, ownerId: admin.id, project: 'grown' })
    const status = async () =>
      (await call(jobRoutes.get, '/api/status/x', { cookie: manager.cookie, params: { id: job } })).status
    expect(await status()).toBe(200)
    await updateProject(admin.actor, id, { kind: 'class' })
    expect(await status()).toBe(404)
    await updateMembership(student.actor, id, { agree_to: 'class' })
    expect(await status()).toBe(200)
  })
})
