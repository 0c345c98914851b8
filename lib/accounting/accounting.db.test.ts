import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, type Person } from '../access/testing/people'
import { placeManually } from '../cluster/testing/placed'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { projectRoutes } from '../routes/access/projects'
import { type Accounting, accountingSchema } from './contract'
import { accountingGroups } from './contract-range'
import { countDays } from './count-days'
import { accountingRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let ada: Person
let bob: Person
let admin: Person
let node: string
beforeAll(async () => {
  ada = await makePerson('researcher', 'ada')
  bob = await makePerson('researcher', 'bob')
  admin = await makePerson('admin', 'root')
})
beforeEach(async () => {
  await db.pool.query('TRUNCATE accounting_days, accounting_state')
  await db.pool.query('TRUNCATE jobs, nodes CASCADE')
  await db.pool.query('DELETE FROM memberships')
  node = (await makeNode({ gpus: 8 })).nodeId
})

interface Past {
  userId: string
  ownerId?: string
  project?: string
  competition?: string
  /** Start and end of its attempts; no end: it runs. */
  attempts: [string, string?][]
  submitted: string
  status?: 'completed' | 'failed' | 'cancelled' | 'running'
  milli?: number
  gpus?: number
  load?: number | null
}

const reasons = { completed: 'finished', failed: 'exit_code', cancelled: 'cancelled_by_user', running: null }

/** Inserts a job with a past. Attempts before the last one were lost. */
async function makePast(past: Past): Promise<string> {
  const { attempts, status = 'completed', milli = 1000, gpus = 1, load = null } = past
  const id = await makeJob(past)
  for (const [start, end] of attempts) {
    const indices = Array.from({ length: gpus }, (_, index) => index)
    const task = await placeManually(node, id, { milli, indices })
    await db.pool.query(
      `WITH held AS (UPDATE allocations SET created_at = $2, released_at = $3 WHERE task_id = $1)
       UPDATE tasks SET created_at = $2, started_at = $2, ended_at = $3, gpu_load_mean = $4, gpu_samples = 1, cpu_seconds = 1800,
              status = CASE WHEN $3::timestamptz IS NULL THEN 'running' ELSE 'completed' END::"TaskStatus" WHERE id = $1`,
      [task, start, end ?? null, load],
    )
    await db.pool.query('UPDATE gpus SET allocated_milli = 0')
    await db.pool.query("UPDATE jobs SET status = 'pending' WHERE id = $1", [id])
  }
  const [start, end] = attempts.at(-1) ?? []
  await db.pool.query(
    `UPDATE jobs SET status = $2, competition_id = $3, created_at = $4, started_at = $5, ended_at = $6,
            reason = $7, exit_code = CASE WHEN $2 = 'completed'::"JobStatus" THEN 0 END WHERE id = $1`,
    [
      id,
      status,
      past.competition ?? 'competition',
      past.submitted,
      start ?? null,
      status === 'running' ? null : (end ?? past.submitted),
      reasons[status],
    ],
  )
  return id
}

const october = { from: '2026-10-01', to: '2026-10-31' }
const day = (date: number, time = '00:00') => `2026-10-${String(date).padStart(2, '0')}T${time}:00Z`

async function read(who: Person, query: Record<string, string> = {}): Promise<Accounting> {
  const search = new URLSearchParams({ ...october, ...query })
  const { body, status } = await call(accountingRoutes.get, `/api/accounting?${search}`, {
    cookie: who.cookie,
  })
  expect(status).toBe(200)
  return accountingSchema.parse(body)
}

const hoursOf = ({ rows }: Accounting) =>
  Object.fromEntries(rows.map(({ group, gpu_hours }) => [group, gpu_hours]))

/** Several users, projects, competitions and weeks, fractions, several GPUs, a lost attempt and long jobs. */
async function makeMixed(): Promise<void> {
  const bobs = { userId: bob.id, project: 'shared', ownerId: ada.id }
  await makePast({
    userId: ada.id,
    submitted: day(1),
    attempts: [[day(1, '01:00'), day(1, '03:00')]],
    load: 0.5,
    gpus: 2,
  })
  await makePast({
    ...bobs,
    submitted: day(4, '22:00'),
    attempts: [
      [day(4, '23:00'), day(5, '01:00')],
      [day(5, '02:00'), day(8, '02:00')],
    ],
    status: 'failed',
    load: 0.25,
  })
  await makePast({
    ...bobs,
    competition: '=cmd()',
    submitted: day(20),
    attempts: [[day(20, '04:00'), day(20, '08:00')]],
    milli: 250,
  })
  await makePast({ userId: bob.id, submitted: day(21), attempts: [], status: 'cancelled' })
}

describe('GET /api/accounting', () => {
  it('counts all attempts, fractions and several GPUs, in the days in which they were held', async () => {
    await makeMixed()
    const { rows, total } = await read(admin, { by: 'week' })
    expect(rows.map(({ group, gpu_hours }) => [group, gpu_hours])).toEqual([
      ['2026-09-28', 5],
      ['2026-10-05', 73],
      ['2026-10-19', 1],
    ])
    expect(total).toMatchObject({ completed: 2, failed: 1, cancelled: 1, gpu_hours: 79 })
    expect(total).toMatchObject({ measured_gpu_hours: 78, used_gpu_hours: 20.5, idle_gpu_hours: 57.5 })
    expect(total.efficiency).toBeCloseTo(20.5 / 78)
    // Waits of 1, 4 and 4 hours: the last attempt of the failed job started 4 hours after its submission.
    expect(total.median_wait_s).toBe(4 * 3600)
    expect(total.cpu_hours).toBe(2)
  })

  it('has the same sums for each grouping, before and after the days are counted', async () => {
    await makeMixed()
    const raw = await Promise.all(accountingGroups.map((by) => read(admin, { by })))
    await countDays()
    const counted = await Promise.all(accountingGroups.map((by) => read(admin, { by })))
    expect(counted).toEqual(raw)
    const [{ jobs = 0, hours = 0 } = {}] = (
      await db.pool.query<{ jobs: number; hours: number }>(
        `SELECT (SELECT count(*)::int FROM jobs) AS jobs,
                (SELECT sum(milli / 1000.0 * extract(epoch FROM released_at - created_at))::float8 / 3600 FROM allocations) AS hours`,
      )
    ).rows
    for (const { rows, total, row_count } of counted) {
      const sum = (key: 'completed' | 'failed' | 'cancelled' | 'gpu_hours' | 'used_gpu_hours') =>
        rows.reduce((all, row) => all + row[key], 0)
      expect(row_count).toBe(rows.length)
      expect(sum('completed') + sum('failed') + sum('cancelled')).toBe(jobs)
      expect(sum('gpu_hours')).toBeCloseTo(hours, 9)
      expect(sum('used_gpu_hours')).toBeCloseTo(total.used_gpu_hours, 9)
      expect(total.gpu_hours).toBeCloseTo(hours, 9)
    }
  })

  it('agrees with the GPU hours of the project, also for a running job', async () => {
    await makePast({ userId: ada.id, submitted: day(1), attempts: [[day(1), day(3)]] })
    await makePast({ userId: ada.id, submitted: day(3), attempts: [[day(4)]], status: 'running', milli: 500 })
    await countDays()
    const { rows } = (await (
      await call(accountingRoutes.get, '/api/accounting?by=project&from=2026-10-01', { cookie: ada.cookie })
    ).body) as Accounting
    const id = rows[0]?.project ?? ''
    const { body } = await call(projectRoutes.get, `/api/projects/${id}`, {
      cookie: ada.cookie,
      params: { id },
    })
    const { gpu_hours_used } = body as { gpu_hours_used: number }
    // The job runs between the two requests.
    expect(rows[0]?.gpu_hours).toBeCloseTo(gpu_hours_used, 1)
  })

  it('counts earlier days again when a task ends, and nothing twice', async () => {
    const job = await makePast({
      userId: ada.id,
      submitted: day(1),
      attempts: [[day(1)]],
      status: 'running',
      load: 1,
    })
    await countDays()
    const before = await read(admin)
    expect(before.total).toMatchObject({ completed: 0, gpu_hours: 31 * 24, used_gpu_hours: 31 * 24 })
    await db.pool.query("UPDATE accounting_state SET counted_until = '2026-10-10'")
    await db.pool.query(
      `WITH held AS (UPDATE allocations SET released_at = $2)
       UPDATE tasks SET gpu_load_mean = 0.5, status = 'completed', ended_at = $2 WHERE job_id = $1`,
      [job, day(11)],
    )
    await db.pool.query(
      "UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = $2 WHERE id = $1",
      [job, day(11)],
    )
    await countDays()
    await countDays()
    expect((await read(admin)).total).toMatchObject({ completed: 1, gpu_hours: 240, used_gpu_hours: 120 })
  })

  it('shows users their own jobs and those of the projects they own, and nothing else', async () => {
    await makeMixed()
    await countDays()
    expect(hoursOf(await read(bob))).toEqual({ bob: 75 })
    expect(hoursOf(await read(ada))).toEqual({ bob: 75, ada: 4 })
    expect(hoursOf(await read(ada, { by: 'project' }))).toEqual({ 'ada/shared': 75, 'ada/project': 4 })
    const other = await makePerson()
    expect(await read(other)).toMatchObject({ rows: [], row_count: 0, total: { gpu_hours: 0, completed: 0 } })
  })

  it('is limited to a project that the caller may see', async () => {
    await makeMixed()
    const project = (await read(ada, { by: 'project' })).rows.find(({ group }) => group === 'ada/shared')
    const id = project?.project ?? ''
    expect(hoursOf(await read(ada, { project: id }))).toEqual({ bob: 75 })
    for (const unknown of [id, 'x', '00000000-0000-7000-8000-000000000000'])
      expect(
        await call(accountingRoutes.get, `/api/accounting?project=${unknown}`, { cookie: bob.cookie }),
      ).toMatchObject({
        status: 404,
      })
    await db.pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [id, bob.id])
    expect(hoursOf(await read(bob, { project: id }))).toEqual({ bob: 75 })
    const carl = await makePerson()
    await db.pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [id, carl.id])
    expect((await read(carl, { project: id })).rows).toEqual([])
    await db.pool.query("UPDATE memberships SET role = 'manager' WHERE user_id = $1", [carl.id])
    expect(hoursOf(await read(carl, { project: id }))).toEqual({ bob: 75 })
    expect(hoursOf(await read(carl))).toEqual({ bob: 75 })
  })

  it.each(['class', 'team'])(
    'GET /api/accounting in a %s has only members who have agreed to be seen',
    async (kind) => {
      await makeMixed()
      const { rows } = await db.pool.query<{ id: string }>(
        'UPDATE projects SET kind = $1::"ProjectKind" WHERE slug = \'shared\' RETURNING id',
        [kind],
      )
      const [project] = rows
      await db.pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [
        project?.id,
        bob.id,
      ])
      const query = { project: project?.id ?? '' }
      expect((await read(ada, query)).total).toMatchObject({ gpu_hours: 0, completed: 0, failed: 0 })
      expect((await read(ada, query)).rows).toEqual([])
      expect(hoursOf(await read(bob, query))).toEqual({ bob: 75 })
      await db.pool.query(
        'UPDATE memberships SET agreed_at = now(), agreed_kind = $2::"ProjectKind" WHERE user_id = $1',
        [bob.id, kind],
      )
      expect(hoursOf(await read(ada, query))).toEqual({ bob: 75 })
      await db.pool.query("UPDATE projects SET kind = 'private' WHERE id = $1", [project?.id])
    },
  )

  it.each([
    'by=week&from=2026-02-30',
    'from=0000-01-01',
    'from=99999-01-01',
    'from=2026-10-02&to=2026-10-01',
    'to=NaN',
    'by=node',
    'from=2999-01-01',
  ])('refuses %s', async (query) => {
    const { status } = await call(accountingRoutes.get, `/api/accounting?${query}`, { cookie: ada.cookie })
    expect(status).toBe(422)
  })

  it('requires a caller', async () => {
    expect(await call(accountingRoutes.get, '/api/accounting')).toMatchObject({ status: 401 })
  })
})

describe('GET /api/accounting.csv', () => {
  it('has a line for each row, and no formulas', async () => {
    await makeMixed()
    const response = await accountingRoutes.csv(
      new Request('http://gpuq.test/api/accounting.csv?by=competition&from=2026-10-01&to=2026-10-31', {
        headers: { cookie: admin.cookie, 'sec-fetch-site': 'same-origin' },
      }),
      { params: Promise.resolve({}) },
    )
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="gpuq-competition-2026-10-01-2026-10-31.csv"',
    )
    expect((await response.text()).split('\r\n')).toEqual([
      'competition,name,completed,failed,cancelled,gpu_hours,measured_gpu_hours,used_gpu_hours,idle_gpu_hours,efficiency,cpu_hours,median_wait_s,p90_wait_s',
      `competition,,1,1,1,78,78,20.5,57.5,0.262821,1.5,9000,13320`,
      `'=cmd(),,1,0,0,1,0,0,0,,0.5,14400,14400`,
      '',
    ])
  })
})
