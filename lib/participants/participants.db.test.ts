import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createProject, updateProject } from '../access/projects/projects'
import { call } from '../access/testing/call'
import { makePerson, makeToken, type Person } from '../access/testing/people'
import { placeManually } from '../cluster/testing/placed'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { participantsSchema } from './contract'
import { participantRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let classId = ''
let [owner, manager, admin, ada, bob, silent] = [] as unknown as [
  Person,
  Person,
  Person,
  Person,
  Person,
  Person,
]

async function enrol({ id }: Person, agreed = true, project = classId): Promise<void> {
  await db.pool.query(
    `INSERT INTO memberships (project_id, user_id, agreed_at, agreed_kind)
     VALUES ($1, $2, CASE WHEN $3 THEN now() END, CASE WHEN $3 THEN 'class'::"ProjectKind" END)`,
    [project, id, agreed],
  )
}

interface JobGiven {
  name?: string
  metrics?: Record<string, number | string>
  project?: string
}

/** A job of a person in the class, or in a project of the person. */
async function jobOf(
  { id: userId }: Person,
  { name, metrics = {}, project }: JobGiven = {},
): Promise<string> {
  const place = project === undefined ? { project: 'class-2026', ownerId: owner.id } : { project }
  const id = await makeJob({ userId, ...place })
  await db.pool.query('UPDATE jobs SET name = $2, final_metrics = $3 WHERE id = $1', [
    id,
    name,
    JSON.stringify(metrics),
  ])
  return id
}

const get = (who: { cookie?: string; token?: string }, query = '', id = classId) =>
  call(participantRoutes.list, `/api/projects/x/participants${query}`, { ...who, params: { id } })
const read = async (who: { cookie?: string }, query = '') => {
  const { status, body } = await get(who, query)
  expect(status, JSON.stringify(body)).toBe(200)
  return participantsSchema.parse(body)
}
const csvOf = async (who: { cookie: string }, query = '', id = classId) => {
  const request = new Request(`http://localhost:8001/api/projects/x/participants.csv${query}`, {
    headers: { cookie: who.cookie, 'sec-fetch-site': 'same-origin' },
  })
  const response = await participantRoutes.csv(request, { params: Promise.resolve({ id }) })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

const jobs: Record<string, string> = {}
beforeAll(async () => {
  owner = await makePerson('admin', 'owner')
  await db.pool.query("UPDATE users SET role = 'researcher', may_create_classes = true WHERE id = $1", [
    owner.id,
  ])
  owner.actor.role = 'researcher'
  manager = await makePerson('researcher', 'manager')
  admin = await makePerson('admin', 'admin')
  ada = await makePerson('researcher', 'ada')
  bob = await makePerson('researcher', 'bob')
  silent = await makePerson('researcher', 'silent')
  const given = { project_id: 'class-2026', kind: 'class' } as const
  classId = (await createProject(owner.actor, { ...given, members: [] })).id
  for (const person of [manager, ada, bob]) await enrol(person)
  await enrol(silent, false)
  await updateProject(owner.actor, classId, { add_managers: [manager.handle] })
  jobs.first = await jobOf(ada, { name: 'first', metrics: { loss: 0.5, accuracy: 0.7 } })
  jobs.better = await jobOf(ada, { name: 'better', metrics: { loss: 0.25, accuracy: 0.6 } })
  jobs.last = await jobOf(ada, { name: '=HYPERLINK("x")', metrics: { loss: 'NaN' } })
  jobs.elsewhere = await jobOf(ada, { project: 'own', metrics: { loss: 0.01, private_metric: 1 } })
  jobs.hidden = await jobOf(silent, { name: 'hidden', metrics: { loss: 0.001, hidden_metric: 2 } })
  jobs.ofOwner = await jobOf(owner)
})

describe('the participants of a class', () => {
  it.each([
    ['its owner', () => owner],
    ['a manager', () => manager],
  ])('are shown to %s with their jobs, without those of members who have not agreed', async (_, who) => {
    const { participants, metrics } = await read(who(), '?metric=loss')
    expect(participants).toEqual([
      {
        user_id: 'ada',
        name: null,
        manager: false,
        agreed: true,
        jobs: 3,
        gpu_hours: 0,
        last_job: {
          job_id: jobs.last,
          name: '=HYPERLINK("x")',
          status: 'pending',
          created_at: expect.any(String),
        },
        best: { job_id: jobs.better, value: 0.25 },
      },
      expect.objectContaining({
        user_id: 'bob',
        agreed: true,
        jobs: 0,
        gpu_hours: 0,
        last_job: null,
        best: null,
      }),
      expect.objectContaining({ user_id: 'manager', manager: true, jobs: 0 }),
      {
        user_id: 'silent',
        name: null,
        manager: false,
        agreed: false,
        jobs: null,
        gpu_hours: null,
        last_job: null,
        best: null,
      },
    ])
    expect(metrics).toEqual(['accuracy', 'loss'])
  })

  it('are shown to an admin with all jobs, as everywhere', async () => {
    const { participants, metrics } = await read(admin, '?metric=loss')
    expect(participants.at(-1)).toMatchObject({ agreed: false, jobs: 1, best: { job_id: jobs.hidden } })
    expect(metrics).toContain('hidden_metric')
  })

  it('have the highest value as their best, if the request says so, and none without a metric', async () => {
    const highest = await read(manager, '?metric=accuracy&best=highest')
    expect(highest.participants[0]?.best).toEqual({ job_id: jobs.first, value: 0.7 })
    expect((await read(manager)).participants[0]?.best).toBeNull()
    expect((await read(manager, '?metric=private_metric')).participants[0]?.best).toBeNull()
    expect((await get(manager, '?best=largest')).status).toBe(422)
  })

  it('have the GPU hours of their jobs', async () => {
    const eve = await makePerson('researcher', 'eve')
    await enrol(eve)
    const id = await jobOf(eve)
    await placeManually((await makeNode()).nodeId, id)
    await db.pool.query(
      `UPDATE allocations SET created_at = now() - interval '2 hours' WHERE task_id IN (SELECT id FROM tasks WHERE job_id = $1)`,
      [id],
    )
    const { participants } = await read(manager)
    expect(participants.find(({ user_id }) => user_id === 'eve')?.gpu_hours).toBeCloseTo(2, 1)
  })

  it('are refused to members, and do not exist for managers of other classes and strangers', async () => {
    const other = await makePerson('admin')
    const [theirs, course] = [
      await makePerson(),
      { project_id: 'other', kind: 'class' as const, members: [] },
    ]
    const { id } = await createProject(other.actor, course)
    await enrol(theirs, true, id)
    await updateProject(other.actor, id, { add_managers: [theirs.handle] })
    expect((await get(theirs, '', id)).status).toBe(200)
    expect((await get(ada)).status).toBe(403)
    for (const who of [theirs, await makePerson()]) expect((await get(who)).status).toBe(404)
    expect((await csvOf(ada)).status).toBe(403)
    expect((await csvOf(theirs)).status).toBe(404)
    expect((await get({})).status).toBe(401)
    const { token } = await makeToken(manager, ['submit'])
    expect((await get({ token })).status).toBe(403)
  })

  it('exist only of a class', async () => {
    const { id } = await createProject(ada.actor, { project_id: 'private', members: [] })
    expect(await get(ada, '', id)).toMatchObject({ status: 409 })
  })

  it('are a CSV file whose texts no spreadsheet takes for formulas', async () => {
    await db.pool.query('UPDATE users SET name = \'+Bob, "the" builder\' WHERE id = $1', [bob.id])
    const { status, text, headers } = await csvOf(manager, '?metric=loss&best=lowest')
    expect(status).toBe(200)
    expect(headers.get('content-disposition')).toBe('attachment; filename="class-2026-participants.csv"')
    const lines = text.split('\r\n')
    expect(lines[0]).toBe(
      'user_id,name,manager,agreed,jobs,gpu_hours,last_job,last_job_name,last_job_status,last_job_created_at,lowest loss,best_job',
    )
    expect(lines[1]).toContain(`"'=HYPERLINK(""x"")"`)
    expect(lines[1]).toMatch(new RegExp(`,0\\.25,${jobs.better}$`))
    expect(lines[2]).toMatch(/^bob,"'\+Bob, ""the"" builder",false,true,0,0,,,,,,$/)
    expect(text).not.toContain('hidden')
    expect(lines.find((line) => line.startsWith('silent'))).toBe('silent,,false,false,,,,,,,,')
  })

  it('are no longer shown to a manager who was made a member again', async () => {
    await updateProject(owner.actor, classId, { remove_managers: [manager.handle] })
    expect((await get(manager)).status).toBe(403)
  })
})
