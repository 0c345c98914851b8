import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createProject } from '../access/projects/projects'
import { call } from '../access/testing/call'
import { makePerson, type Person } from '../access/testing/people'
import { makeJob } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { projectBoardSchema } from './contract'
import { projectBoardRoutes } from './routes'
import { updateOwnRow, updateProjectBoard } from './update-board'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let [owner, ada, bob, stranger] = [] as unknown as [Person, Person, Person, Person]
let [id, slug] = ['', '']
let made = 0

beforeAll(async () => {
  ;[owner, ada, bob, stranger] = [
    await makePerson(),
    await makePerson(),
    await makePerson(),
    await makePerson(),
  ]
})
beforeEach(async () => {
  made += 1
  slug = `project-${made}`
  id = (await createProject(owner.actor, { project_id: slug, members: [] })).id
  for (const person of [ada, bob]) await enrol(person)
})

const enrol = (person: Person) =>
  db.pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [id, person.id])

interface JobGiven {
  status?: 'completed' | 'failed'
  competition?: string
  project?: string
}

/** An ended job with these final metrics. */
async function jobOf({ id: userId }: Person, metrics: object, given: JobGiven = {}): Promise<string> {
  const { status = 'completed', competition = 'c', project = slug } = given
  const job = await makeJob({ userId, ...(project === slug && { ownerId: owner.id }), project })
  const [reason, code] = status === 'completed' ? ['finished', 0] : ['exit_code', 1]
  await db.pool.query(
    `UPDATE jobs SET status = $2, reason = $3, exit_code = $4, attempt = 1, started_at = now(), ended_at = now(), competition_id = $5,
            final_metrics = $6 WHERE id = $1`,
    [job, status, reason, code, competition, metrics],
  )
  return job
}

const get = ({ cookie }: Person) => call(projectBoardRoutes.get, '/x', { cookie, params: { id } })
const read = async (who: Person) => {
  const { status, body } = await get(who)
  expect(status, JSON.stringify(body)).toBe(200)
  return projectBoardSchema.parse(body)
}
const choose = ({ cookie }: Person, body: object) =>
  call(projectBoardRoutes.update, '/x', { method: 'PUT', cookie, body, params: { id } })
const chooseOwn = ({ cookie }: Person, body: object) =>
  call(projectBoardRoutes.updateOwn, '/x', { method: 'PUT', cookie, body, params: { id } })
const csv = async ({ cookie }: Person) => {
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  const request = new Request('http://localhost:8001/x', { headers })
  const response = await projectBoardRoutes.csv(request, { params: Promise.resolve({ id }) })
  return { status: response.status, text: await response.text() }
}
const ranksOf = async (who: Person = owner) =>
  (await read(who)).rows.map(({ rank, member, value, jobs }) => [rank, member, value, jobs])

describe('the board of a project', () => {
  it('the board of a project ranks members by the best finite value of completed jobs in the project, and equal values share a rank', async () => {
    await jobOf(ada, { loss: 0.5 })
    await jobOf(ada, { loss: 0.25 })
    await jobOf(ada, { loss: 'NaN' })
    await jobOf(ada, { loss: 0.01 }, { status: 'failed' })
    await jobOf(ada, { loss: 0.001 }, { project: 'elsewhere' })
    await jobOf(bob, { loss: 0.25, accuracy: 0.9 })
    await jobOf(owner, { loss: 0.75 })
    expect(await read(ada)).toMatchObject({ metric: null, rows: [] })
    expect((await choose(owner, { metric: 'loss', goal: 'min' })).status).toBe(200)
    expect(await ranksOf()).toEqual([
      [1, ada.handle, 0.25, 2],
      [1, bob.handle, 0.25, 1],
      [3, owner.handle, 0.75, 1],
    ])
    await choose(owner, { metric: 'loss', goal: 'max' })
    expect((await ranksOf()).map(([rank, member]) => [rank, member])).toEqual([
      [1, owner.handle],
      [2, ada.handle],
      [3, bob.handle],
    ])
    await choose(owner, { metric: 'accuracy' })
    expect(await ranksOf()).toEqual([[1, bob.handle, 0.9, 1]])
    await choose(owner, { metric: null })
    expect(await read(ada)).toMatchObject({ metric: null, rows: [] })
    expect((await csv(ada)).status).toBe(404)
  })

  it('the board of a competition_id counts only jobs with it', async () => {
    await jobOf(ada, { loss: 0.1 }, { competition: 'other' })
    await jobOf(ada, { loss: 0.2 }, { competition: 'cup' })
    await choose(owner, { metric: 'loss', goal: 'min', competition_id: 'cup' })
    expect(await ranksOf()).toEqual([[1, ada.handle, 0.2, 1]])
  })

  it('the board of a project says that its values are reported by the members, marks the own row, and has no id of a job', async () => {
    const job = await jobOf(ada, { loss: 0.1 })
    await choose(owner, { metric: 'loss', goal: 'min' })
    const board = await read(ada)
    expect(board).toMatchObject({ self_reported: true, rows: [{ own: true }] })
    const text = JSON.stringify(await get(bob)) + (await csv(bob)).text
    expect(text).toContain(ada.handle)
    expect(text).not.toContain(job)
    expect(text).not.toContain(ada.id)
  })

  it('the CSV of a board has the same rows, and names that no spreadsheet takes for a formula', async () => {
    await jobOf(ada, { loss: -0.5 })
    await choose(owner, { metric: 'loss', goal: 'min' })
    await chooseOwn(ada, { name: '=HYPERLINK("x")' })
    const [row] = (await read(bob)).rows
    expect((await csv(bob)).text).toBe(
      `rank,member,loss,jobs,best_at\r\n1,"'=HYPERLINK(""x"")",-0.5,1,${row?.best_at}\r\n`,
    )
  })

  it('strangers do not find the board of a project, members read it, and only the owner and admins choose its metric', async () => {
    expect((await get(stranger)).status).toBe(404)
    expect((await csv(stranger)).status).toBe(404)
    expect((await choose(stranger, { metric: 'loss' })).status).toBe(404)
    expect((await chooseOwn(stranger, { name: 'x' })).status).toBe(404)
    expect((await choose(ada, { metric: 'loss' })).status).toBe(403)
    expect((await choose(await makePerson('admin'), { metric: 'loss' })).status).toBe(200)
    expect((await get(ada)).status).toBe(200)
  })
})

describe('what the board of a project shows of a member', () => {
  it('a row shows the name that its member chose, and a member who stays off has none', async () => {
    await jobOf(ada, { loss: 0.1 })
    await jobOf(bob, { loss: 0.2 })
    await choose(owner, { metric: 'loss', goal: 'min' })
    expect(await chooseOwn(ada, { name: 'A. L.' })).toMatchObject({
      status: 200,
      body: { own: { name: 'A. L.' } },
    })
    expect((await ranksOf(bob)).map(([, member]) => member)).toEqual(['A. L.', bob.handle])
    expect(JSON.stringify((await get(bob)).body)).not.toContain(ada.handle)
    await chooseOwn(ada, { name: 'A. L.', hidden: true })
    expect(await ranksOf(bob)).toEqual([[1, bob.handle, 0.2, 1]])
    expect((await read(ada)).own).toEqual({ name: 'A. L.', hidden: true })
  })

  it('a member cannot take the name or the user id of another member', async () => {
    await chooseOwn(ada, { name: 'Swift' })
    for (const name of ['swift', ada.handle.toUpperCase(), owner.handle]) {
      const { status, body } = await chooseOwn(bob, { name })
      expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining('Choose another name')])
    }
    expect((await chooseOwn(ada, { name: 'Swift' })).status).toBe(200)
    expect((await chooseOwn(bob, { name: bob.handle })).status).toBe(200)
  })

  it('the row of a member ends when the member leaves the project', async () => {
    await jobOf(ada, { loss: 0.1 })
    await choose(owner, { metric: 'loss', goal: 'min' })
    await db.pool.query('DELETE FROM memberships WHERE project_id = $1 AND user_id = $2', [id, ada.id])
    expect(await ranksOf()).toEqual([])
  })

  it('the row of a member of a class begins with the agreement of the member', async () => {
    await db.pool.query('UPDATE users SET may_create_classes = true WHERE id = $1', [owner.id])
    slug = `class-${made}`
    id = (await createProject(owner.actor, { project_id: slug, kind: 'class', members: [] })).id
    await enrol(ada)
    await jobOf(ada, { loss: 0.1 })
    await choose(owner, { metric: 'loss', goal: 'min' })
    expect(await ranksOf()).toEqual([])
    await db.pool.query(
      "UPDATE memberships SET agreed_at = now(), agreed_kind = 'class' WHERE project_id = $1 AND user_id = $2",
      [id, ada.id],
    )
    expect(await ranksOf()).toEqual([[1, ada.handle, 0.1, 1]])
  })
})

it('a change of a board holds no transaction open while its request is read', async () => {
  const open = async () => {
    const { rows } = await db.pool.query(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
    )
    return rows
  }
  const openOnes: unknown[] = []
  await updateProjectBoard(owner.actor, id, async () => {
    openOnes.push(await open())
    return { metric: 'acc', goal: 'max', competition_id: null }
  })
  await updateOwnRow(ada.actor, id, async () => {
    openOnes.push(await open())
    return { name: 'Ada', hidden: false }
  })
  expect(openOnes).toEqual([[], []])
})
