import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, makeToken, type Person } from '../access/testing/people'
import { commitPlacement } from '../cluster/placement/place'
import { takeSnapshot } from '../cluster/placement/snapshot'
import { finishTask } from '../cluster/tasks/finish-task'
import { unfinishedTasks } from '../cluster/tasks/tasks'
import { placeManually } from '../cluster/testing/placed'
import { publishLongLived } from '../cluster/testing/publish-long-lived'
import { copyRows, jobState, makeJob, makeNode } from '../cluster/testing/rows'
import { agentLimitsSchema } from '../contract/access/restriction'
import { testDatabase } from '../database/testing/test-database'
import { cancelUsedUp } from '../groups/cancel-group'
import { continueCancelling } from '../groups/cancel-members'
import { type GroupDetail, groupDetailSchema } from '../groups/contract'
import { releaseMembers } from '../groups/release-members'
import { groupRoutes } from '../groups/routes'
import { upload } from '../routes/testing/upload'
import { plan } from '../scheduling/plan'
import type { Budget } from './contract'
import { enforceBudgets } from './enforce-budgets'
import { budgetRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let ada: Person
beforeEach(async () => {
  await db.pool.query('TRUNCATE job_groups, jobs, nodes, users, used_up_budgets, next_in_line CASCADE')
  ada = await makePerson()
  await db.pool.query('UPDATE users SET max_active_jobs = 100, submissions_per_minute = 1000')
})

const setUser = (hours: number | null, period = 'total', whenUsedUp = 'stop') =>
  db.pool.query(
    `UPDATE users SET gpu_hour_budget = $2, budget_period = $3::"BudgetPeriod", budget_when_used_up = $4::"WhenUsedUp" WHERE id = $1`,
    [ada.id, hours, period, whenUsedUp],
  )

/** A running job of Ada that has held its GPUs for so many hours. */
async function runningJob(hours: number, gpus = 1): Promise<{ job: string; task: string; nodeId: string }> {
  const { nodeId } = await makeNode({ gpus })
  const job = await makeJob({ userId: ada.id })
  const task = await placeManually(nodeId, job, {
    indices: Array.from({ length: gpus }, (_, index) => index),
  })
  await db.pool.query(
    'UPDATE allocations SET created_at = now() - make_interval(secs => $2 * 3600.0) WHERE task_id = $1',
    [task, hours],
  )
  return { job, task, nodeId }
}

async function budgets(query = '', person = ada) {
  const { status, body } = await call(budgetRoutes.list, `/api/budgets${query}`, { cookie: person.cookie })
  return { status, body: body as unknown as Budget[] }
}
const usedHours = async () => (await budgets()).body[0]?.used_gpu_hours

describe('the use of a budget', () => {
  it('parts of GPUs, several GPUs, ended attempts and running jobs count, and jobs of others do not', async () => {
    await setUser(100)
    const { task } = await runningJob(2, 3)
    await db.pool.query('UPDATE allocations SET milli = 500 WHERE task_id = $1', [task])
    const [retried] = await copyRows('tasks', task, { attempt: 7, status: 'failed', rank: 0 })
    const [rank] = await copyRows('tasks', task, { attempt: 7, status: 'failed', rank: 1 })
    for (const ended of [retried, rank]) {
      await db.pool.query(
        `INSERT INTO allocations (task_id, gpu_id, milli, created_at, released_at)
         SELECT $1, gpu_id, 1000, now() - interval '9 hours', now() - interval '8 hours' FROM allocations WHERE task_id = $2 LIMIT 1`,
        [ended, task],
      )
    }
    const { nodeId } = await makeNode()
    await placeManually(nodeId, await makeJob())
    await db.pool.query(
      "UPDATE allocations SET created_at = now() - interval '5 hours' WHERE gpu_id IN (SELECT id FROM gpus WHERE node_id = $1)",
      [nodeId],
    )
    expect(await usedHours()).toBeCloseTo(3 + 2, 1)
  })

  it.each(
    ['day', 'week', 'month'].flatMap((period) => [
      { period, from: '-3 hours', to: '-1 second', hours: 0 },
      { period, from: '-3 hours', to: '15 minutes', hours: 0.25 },
      { period, from: '0 seconds', to: '30 minutes', hours: 0.5 },
    ]),
  )(
    'a $period begins at midnight UTC: of a job from $from to $to, $hours hours count',
    async ({ period, from, to, hours }) => {
      await setUser(100, period)
      const { task } = await runningJob(1)
      const since = `date_trunc('${period}', now(), 'UTC')`
      await db.pool.query(
        `UPDATE allocations SET created_at = ${since} + $2::interval, released_at = ${since} + $3::interval WHERE task_id = $1`,
        [task, from, to],
      )
      expect(await usedHours()).toBe(hours)
    },
  )

  it('what was counted before is not read again, and what is released later counts once', async () => {
    await setUser(100)
    const old = await runningJob(3)
    await db.pool.query(
      "UPDATE allocations SET released_at = created_at + interval '2 hours' WHERE task_id = $1",
      [old.task],
    )
    const { task } = await runningJob(1)
    expect(await usedHours()).toBeCloseTo(3, 1)
    // Nobody changes this afterwards, so it would be seen only by reading it again.
    await db.pool.query('UPDATE allocations SET milli = 1 WHERE task_id = $1', [old.task])
    expect(await usedHours()).toBeCloseTo(3, 1)
    // A transaction may commit later than the time that it writes.
    const release = (ago: string) =>
      db.pool.query('UPDATE allocations SET released_at = now() - $2::interval WHERE task_id = $1', [
        task,
        ago,
      ])
    await release('4 minutes')
    for (const _ of [1, 2]) expect(await usedHours()).toBeCloseTo(2 + 56 / 60, 2)
  })

  it('the next period begins at midnight UTC, whatever the time zone of the database is', async () => {
    await setUser(100, 'month')
    const { rows } = await db.pool.query<{ since: string; until: string }>(
      `SELECT rfc3339(since) AS since, rfc3339(until) AS until FROM budgets WHERE set_config('TimeZone', 'America/New_York', true) <> ''`,
    )
    const first = /^\d{4}-\d\d-01T00:00:00(\.0+)?Z$/
    expect(rows).toEqual([{ since: expect.stringMatching(first), until: expect.stringMatching(first) }])
  })
})

describe('a budget that is used up', () => {
  it('with wait: the running job goes on, and no other starts, also not by an earlier plan or when a task ends', async () => {
    await setUser(2, 'total', 'wait')
    const lease = await makeNode()
    const running = await makeJob({ userId: ada.id })
    await placeManually(lease.nodeId, running)
    const waiting = await makeJob({ userId: ada.id })
    const free = await makeNode()
    const planned = plan((await takeSnapshot()).snapshot)
    expect(planned.placements).toMatchObject([{ jobId: waiting, tasks: [{ nodeId: free.nodeId }] }])
    await db.pool.query("UPDATE allocations SET created_at = now() - interval '3 hours'")
    await enforceBudgets()
    for (const placement of planned.placements)
      expect(await commitPlacement(placement)).toEqual({ ok: false, dimension: 'job' })
    const other = await makeJob()
    await publishLongLived([waiting, other])
    const { placements, waiting: explained } = plan((await takeSnapshot()).snapshot)
    expect(placements.map(({ jobId }) => jobId)).toEqual([other])
    expect(explained).toEqual([
      { jobId: waiting, reason: 'budget', detail: 'The budget of the user: All 2 GPU hours are used.' },
    ])
    const [task] = await unfinishedTasks(lease)
    if (!task) throw new Error('No task is running.')
    await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
    expect((await jobState(waiting)).status).toBe('pending')
    expect((await jobState(other)).status).toBe('scheduled')
    expect((await jobState(running)).status).toBe('completed')
  })

  it('with wait: a submission is accepted, and starts after the budget was raised', async () => {
    await setUser(2, 'total', 'wait')
    await runningJob(3)
    await enforceBudgets()
    const { status, body } = await upload(ada)
    expect(status).toBe(202)
    const starts = async () => plan((await takeSnapshot()).snapshot).placements.map(({ jobId }) => jobId)
    await makeNode()
    expect(await starts()).toEqual([])
    await setUser(20, 'total', 'wait')
    await enforceBudgets()
    expect(await starts()).toEqual([body.job_id])
  })

  it('with stop: the running job is told to stop, one that waits goes on waiting, and a submission is refused', async () => {
    await setUser(2)
    const { job } = await runningJob(3)
    const [waiting, other] = [await makeJob({ userId: ada.id }), await makeJob()]
    await enforceBudgets()
    const { rows } = await db.pool.query(
      'SELECT id, cancel_reason FROM jobs WHERE cancel_requested_at IS NOT NULL',
    )
    expect(rows).toEqual([{ id: job, cancel_reason: 'budget_used_up' }])
    expect([(await jobState(waiting)).status, (await jobState(other)).status]).toEqual(['pending', 'pending'])
    expect(await upload(ada)).toMatchObject({
      status: 403,
      body: { code: 'quota_exceeded', detail: 'The budget of the user: All 2 GPU hours are used.' },
    })
    expect((await upload(await makePerson())).status).toBe(202)
  })

  it('with stop: two leaders at once, and one that follows, stop each job once', async () => {
    await setUser(2)
    const jobs = [await runningJob(1), await runningJob(1), await runningJob(1)]
    await Promise.all([enforceBudgets(), enforceBudgets()])
    const requests = async () =>
      (await db.pool.query('SELECT id, cancel_requested_at, cancel_reason FROM jobs ORDER BY id')).rows
    const first = await requests()
    expect(first.map(({ cancel_reason }) => cancel_reason)).toEqual(jobs.map(() => 'budget_used_up'))
    await enforceBudgets()
    expect(await requests()).toEqual(first)
  })

  it('a leader that dies after it stored that a budget is used up: the next one stops its jobs', async () => {
    await setUser(2)
    const { job } = await runningJob(3)
    await enforceBudgets()
    await db.pool.query('UPDATE jobs SET cancel_requested_at = NULL, cancel_reason = NULL')
    await enforceBudgets()
    const { rows } = await db.pool.query('SELECT cancel_reason FROM jobs WHERE id = $1', [job])
    expect(rows).toEqual([{ cancel_reason: 'budget_used_up' }])
  })

  it('of the last period: jobs start before the leader has looked', async () => {
    await setUser(2, 'day', 'wait')
    await db.pool.query(
      `INSERT INTO used_up_budgets (owner_id, period, stops, detail, until) VALUES ($1, 'day', false, '', now() - interval '1 second')`,
      [ada.id],
    )
    await makeNode()
    const job = await makeJob({ userId: ada.id })
    const { placements } = plan((await takeSnapshot()).snapshot)
    for (const placement of placements) expect(await commitPlacement(placement)).toEqual({ ok: true })
    expect((await jobState(job)).status).toBe('scheduled')
  })

  it('the leader looks again when the first budget will be used up, at the latest after five seconds', async () => {
    await setUser(2)
    await runningJob(2 - 1 / 3600, 1)
    expect(await enforceBudgets()).toBeLessThan(2000)
    await setUser(100)
    expect(await enforceBudgets()).toBe(5000)
  })
})

describe('the budgets of a token', () => {
  it('are used up: only its own jobs are stopped, and only its own submissions are refused', async () => {
    const { token, tokenId } = await makeToken(ada)
    await db.pool.query('UPDATE api_tokens SET limits = $2 WHERE id = $1', [
      tokenId,
      agentLimitsSchema.parse({ gpu_hours: 100, gpu_hours_per_day: 2 }),
    ])
    const [own] = [await runningJob(0), await runningJob(30)]
    await db.pool.query('UPDATE jobs SET token_id = $2 WHERE id = $1', [own.job, tokenId])
    await db.pool.query(
      `UPDATE allocations SET created_at = date_trunc('day', now(), 'UTC') - interval '30 hours',
              released_at = date_trunc('day', now(), 'UTC') + interval '3 hours' WHERE task_id = $1`,
      [own.task],
    )
    expect((await budgets()).body).toMatchObject([
      { kind: 'token', period: 'total', used_gpu_hours: 33, sentence: '33 of 100 GPU hours used; 67 left.' },
      {
        kind: 'token',
        period: 'day',
        used_gpu_hours: 3,
        when_used_up: 'stop',
        sentence: 'All 2 GPU hours are used today; nothing is left until 00:00 UTC.',
      },
    ])
    // An ordinary token of the user sees them as well, and one of another agent does not.
    const { token: ordinary, tokenId: other } = await makeToken(ada)
    const seen = async () => (await call(budgetRoutes.list, '/api/budgets', { token: ordinary })).body
    expect(await seen()).toHaveLength(2)
    await db.pool.query('UPDATE api_tokens SET limits = $2 WHERE id = $1', [
      other,
      agentLimitsSchema.parse({}),
    ])
    expect(await seen()).toEqual([])
    await enforceBudgets()
    const { rows } = await db.pool.query('SELECT id FROM jobs WHERE cancel_requested_at IS NOT NULL')
    expect(rows).toEqual([{ id: own.job }])
    expect((await upload(ada)).status).toBe(202)
    const headers = { authorization: `Bearer ${token}` }
    expect(await upload(ada, {}, 'wait=false', headers)).toMatchObject({
      status: 403,
      body: {
        detail: 'The budget of the token: All 2 GPU hours are used today; nothing is left until 00:00 UTC.',
      },
    })
  })
})

const groupConfig = {
  competition_id: 'c',
  project_id: 'p',
  expected_time: 10,
  command: 'python train.py --lr {lr}',
  matrix: { lr: { from: 1, to: 6 } },
  parallel: 3,
}
/** Submits a group of six members. */
const create = (more: object) =>
  call(groupRoutes.create, '/api/groups', {
    method: 'POST',
    body: { config: { ...groupConfig, ...more } },
    cookie: ada.cookie,
  })

describe.each(['token', 'group'] as const)('50 submissions at once against the budget of a %s', (kind) => {
  /** A used up budget of two hours, one running job of it, and how 50 more jobs are submitted. */
  async function arrange() {
    const { token, tokenId } = await makeToken(ada)
    const headers = { authorization: `Bearer ${token}` }
    const lease = await makeNode({ gpus: 4 })
    if (kind === 'token') {
      const first = String((await upload(ada, {}, 'wait=false', headers)).body.job_id)
      const limits = agentLimitsSchema.parse({ gpu_hours: 2 })
      await db.pool.query('UPDATE api_tokens SET limits = $2 WHERE id = $1', [tokenId, limits])
      await placeManually(lease.nodeId, first)
    } else {
      await makeJob()
      await create({ matrix: { lr: { from: 1, to: 51 } }, parallel: 51, budget_gpu_hours: 2 })
      await releaseMembers()
      const { rows } = await db.pool.query<{ id: string }>(
        'SELECT id FROM jobs WHERE group_id IS NOT NULL LIMIT 1',
      )
      await placeManually(lease.nodeId, rows[0]?.id ?? '')
    }
    await db.pool.query("UPDATE allocations SET created_at = now() - interval '3 hours'")
    const submit = () => (kind === 'token' ? upload(ada, {}, 'wait=false', headers) : releaseMembers())
    return { lease, submit }
  }

  const pass = async () => {
    const { placements } = plan((await takeSnapshot()).snapshot)
    await Promise.all(placements.map(commitPlacement))
    return placements.length
  }
  const started = async () => (await db.pool.query('SELECT id FROM tasks ORDER BY id')).rows
  const running = `status IN ('scheduled', 'running') AND (group_id IS NOT NULL OR token_id IS NOT NULL)`

  it('beside leaders that look at the budgets and place jobs: after that no job starts, and those that run are stopped', async () => {
    const { lease, submit } = await arrange()
    await Promise.all([
      ...Array.from({ length: 50 }, submit),
      ...Array.from({ length: 8 }, pass),
      ...Array.from({ length: 3 }, enforceBudgets),
    ])
    const before = await started()
    expect(before.length).toBeGreaterThan(0)
    await makeNode({ gpus: 8 })
    expect(await pass()).toBe(0)
    const { rows: waiting } = await db.pool.query<{ id: string }>(
      `SELECT id FROM jobs WHERE status = 'pending'`,
    )
    await publishLongLived(waiting.map(({ id }) => id))
    const [task] = await unfinishedTasks(lease)
    if (!task) throw new Error('No task is running.')
    await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
    expect(await started()).toEqual(before)
    await enforceBudgets()
    const { rows } = await db.pool.query<{ reason: string | null }>(
      `SELECT cancel_reason AS reason FROM jobs WHERE ${running}`,
    )
    expect(rows.filter(({ reason }) => reason !== 'budget_used_up')).toEqual([])
  })
})

describe('the budget of a group', () => {
  const read = async (id: string): Promise<GroupDetail> =>
    groupDetailSchema.parse(
      (await call(groupRoutes.get, `/api/groups/${id}`, { cookie: ada.cookie, params: { id } })).body,
    )

  it('is used up: members that run, wait or are held are cancelled, and the group ends', async () => {
    await makeJob()
    const { group_id: id } = groupDetailSchema.parse((await create({ budget_gpu_hours: 2 })).body)
    await releaseMembers()
    expect((await read(id)).budget?.sentence).toBe('0 of 2 GPU hours used; 2 left.')
    const { rows } = await db.pool.query<{ id: string }>(
      'SELECT id FROM jobs WHERE group_id = $1 ORDER BY id',
      [id],
    )
    const [running] = rows
    const { nodeId } = await makeNode()
    await placeManually(nodeId, running?.id ?? '')
    await db.pool.query("UPDATE allocations SET created_at = now() - interval '3 hours'")
    await enforceBudgets()
    expect(await cancelUsedUp()).toBe(true)
    await continueCancelling()
    const { rows: cancelled } = await db.pool.query<{ why: string }>(
      `SELECT coalesce(cancel_reason, reason) AS why FROM jobs WHERE group_id = $1`,
      [id],
    )
    expect(cancelled.map(({ why }) => why)).toEqual(['budget_used_up', 'budget_used_up', 'budget_used_up'])
    expect(await read(id)).toMatchObject({
      counts: { held: 0, pending: 0, running: 1, cancelled: 5 },
      problem: 'The budget of the group: All 2 GPU hours are used.',
      budget: { left_gpu_hours: 0 },
    })
    expect(await cancelUsedUp()).toBe(false)
  })

  it('a group that ended with nothing left runs no more members, and keeps how it ended', async () => {
    const { group_id: id } = groupDetailSchema.parse((await create({ budget_gpu_hours: 2 })).body)
    while (await releaseMembers());
    const { nodeId } = await makeNode()
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM jobs WHERE group_id = $1', [id])
    const task = await placeManually(nodeId, rows[0]?.id ?? '')
    await db.pool.query(
      `UPDATE allocations SET created_at = now() - interval '3 hours', released_at = now() WHERE task_id = $1`,
      [task],
    )
    await db.pool.query(
      `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 1, ended_at = now() WHERE group_id = $1`,
      [id],
    )
    await db.pool.query(
      `UPDATE job_groups SET held = 0, final_counts = '{"completed": 0, "failed": 3, "cancelled": 0, "pending": 0, "running": 0}', ended_at = now() WHERE id = $1`,
      [id],
    )
    const again = { method: 'POST', cookie: ada.cookie, params: { id } }
    expect(await call(groupRoutes.rerunFailed, '/x', again)).toMatchObject({
      status: 409,
      body: {
        detail: expect.stringMatching(/^The group has no GPU hours left\. All 2 GPU hours are used\./),
      },
    })
    expect(await read(id)).toMatchObject({ status: 'failed' })
  })

  it.each([0, -1, 1e9])('%d GPU hours are refused, and the error names the key', async (budget_gpu_hours) => {
    const { status, body } = await create({ budget_gpu_hours })
    expect(status).toBe(422)
    expect((body as { detail: string }).detail).toMatch(
      /^config\.budget_gpu_hours: must be at (least 0.001|most 100000000)$/,
    )
  })
})

describe('the list of budgets', () => {
  it('a member sees those of the project and their own, in one sentence each, and others see neither', async () => {
    await setUser(40)
    const { job } = await runningJob(4)
    await db.pool.query(`UPDATE projects SET gpu_hour_budget = 100, budget_period = 'week'`)
    const shown = [
      { kind: 'user', name: ada.handle, when_used_up: 'stop', sentence: '4 of 40 GPU hours used; 36 left.' },
      { kind: 'project', name: `${ada.handle}/project`, when_used_up: 'wait', gpus: 1, period: 'week' },
    ]
    expect((await budgets()).body).toMatchObject(shown)
    expect((await budgets(`?job=${job}`)).body).toMatchObject(shown)
    const bob = await makePerson()
    expect((await budgets('', bob)).body).toEqual([])
    expect((await budgets(`?job=${job}`, bob)).status).toBe(404)
  })
})
