import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import type { Person } from '../access/testing/people'
import type { Condition } from '../contract/config/depends-on'
import { dryRunSchema } from '../contract/submission/dry-run'
import { testDatabase } from '../database/testing/test-database'
import { transaction } from '../database/transaction'
import { findWait, insertDependencies } from '../jobs/dependencies/find-dependencies'
import { describeProgress, settleDependencies } from '../jobs/dependencies/settle-dependencies'
import { readSource } from '../jobs/read/read'
import { ownerFor } from '../jobs/submission/job-owner'
import { jobRoutes } from '../routes/jobs/jobs'
import { queueRoutes } from '../routes/queue/queue'
import { jobOf, makePeople, submit, submitted } from '../routes/testing/queue-client'
import { upload } from '../routes/testing/upload'
import { continueCancelling } from './cancel-members'
import { type GroupDetail, groupDetailSchema, groupDryRunSchema } from './contract'
import { releaseMembers } from './release-members'
import { groupRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[, ada, bob] = await makePeople()
})
beforeEach(() => db.pool.query('TRUNCATE job_groups, jobs, active_job_changes CASCADE'))

const base = { competition_id: 'c', project_id: 'p', expected_time: 10, command: 'train {lr}' }
const sweep = { ...base, matrix: { lr: [1, 2, 3] }, parallel: 10 }

const post = (config: object, person = ada, query = '') =>
  call(groupRoutes.create, `/api/groups${query}`, {
    method: 'POST',
    body: { config: { ...sweep, ...config } },
    cookie: person.cookie,
  })

async function create(config: object = {}, person = ada): Promise<string> {
  const answer = await post(config, person)
  expect(answer).toMatchObject({ status: 201 })
  return groupDetailSchema.parse(answer.body).group_id
}

const ask = (route: 'cancel' | 'rerunFailed', id: string) =>
  call(groupRoutes[route], '/x', { method: 'POST', cookie: ada.cookie, params: { id } })

async function read(id: string): Promise<GroupDetail> {
  return groupDetailSchema.parse(
    (await call(groupRoutes.get, '/x', { cookie: ada.cookie, params: { id } })).body,
  )
}

/** As the leader does after each change of the queue. */
async function lead(): Promise<void> {
  while (await releaseMembers());
  await settleDependencies()
}

type End = 'completed' | 'failed' | 'cancelled' | 'stopped_early'
const ends = {
  completed: ['completed', 'finished', 0],
  failed: ['failed', 'exit_code', 1],
  cancelled: ['cancelled', 'cancelled_by_user', null],
  stopped_early: ['cancelled', 'stopped_early', null],
} as const

/** Ends the live jobs of the members of a group in their order, as their programs would. */
async function endMembers(id: string, how: readonly End[]): Promise<void> {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT j.id FROM group_members m JOIN jobs j ON j.id = m.job_id WHERE m.group_id = $1 AND j.ended_at IS NULL ORDER BY m.index LIMIT $2`,
    [id, how.length],
  )
  expect(rows).toHaveLength(how.length)
  for (const [at, row] of rows.entries()) await endJob(row.id, how[at] ?? 'completed')
}

async function endJob(id: string, how: End): Promise<void> {
  await db.pool.query(
    'UPDATE jobs SET status = $2, reason = $3, exit_code = $4, ended_at = now() WHERE id = $1',
    [id, ...ends[how]],
  )
}

/** A group whose members have ended so. */
async function ended(...how: End[]): Promise<string> {
  const id = await create({ matrix: { lr: how.map((_, at) => at) } })
  await lead()
  await endMembers(id, how)
  await lead()
  return id
}

const queue = (depends_on: unknown, more: object = {}) =>
  submitted({ depends_on, project_id: 'p', ...more }, ada)
const isStartable = async (id: string) =>
  (await db.pool.query(`SELECT 1 FROM jobs WHERE id = $1 AND status = 'pending' AND NOT held`, [id]))
    .rowCount === 1
const entry = (id: string, when: Condition) => ({ id, when })

describe('a job that depends on a group', () => {
  it.each<{ what: string; how: End[]; cancel?: boolean; isSuccess: boolean }>([
    { what: 'whose members all completed', how: ['completed', 'completed', 'completed'], isSuccess: true },
    {
      what: 'whose rule stopped a member',
      how: ['completed', 'stopped_early', 'stopped_early'],
      isSuccess: true,
    },
    { what: 'with a failed member', how: ['completed', 'failed', 'completed'], isSuccess: false },
    {
      what: 'with a member that its user cancelled',
      how: ['completed', 'completed', 'cancelled'],
      isSuccess: false,
    },
    {
      what: 'with a failed and a stopped member',
      how: ['failed', 'stopped_early', 'completed'],
      isSuccess: false,
    },
    { what: 'that its user cancelled', how: ['completed'], cancel: true, isSuccess: false },
  ])(
    'a group $what: jobs with ok, any and failed start or end accordingly',
    async ({ how, cancel, isSuccess }) => {
      const group = await create()
      const [ok, any, failed] = [
        await queue([group]),
        await queue([entry(group, 'any')]),
        await queue([`failed:${group}`]),
      ]
      await lead()
      for (const job of [ok, any, failed]) expect(await isStartable(job)).toBe(false)
      await endMembers(group, how)
      if (cancel) {
        await ask('cancel', group)
        await continueCancelling()
      }
      await lead()
      expect(await isStartable(any)).toBe(true)
      const [started, notStarted] = isSuccess ? [ok, failed] : [failed, ok]
      expect(await isStartable(started)).toBe(true)
      const reason = isSuccess ? 'dependency_completed' : 'dependency_failed'
      expect(await jobOf(notStarted, ada)).toMatchObject({ status: 'cancelled', reason })
      expect((await db.pool.query('SELECT 1 FROM job_dependencies')).rowCount).toBe(0)
      await lead()
      expect(await isStartable(any)).toBe(true)
    },
  )

  it('a wave with a job of a cancelled wave that never started is no success', async () => {
    const members = [{ idempotency_key: 'a' }]
    const first = await create({ matrix: undefined, parallel: 1, members: [{ priority: 1 }, ...members] })
    const second = await create({ matrix: undefined, parallel: 1, members })
    const after = await queue([second])
    const instead = await queue([entry(second, 'failed')])
    await ask('cancel', first)
    await continueCancelling()
    await lead()
    expect(await read(second)).toMatchObject({ status: 'cancelled' })
    expect(await jobOf(after, ada)).toMatchObject({ status: 'cancelled', reason: 'dependency_failed' })
    expect(await isStartable(instead)).toBe(true)
  })

  it('says how many members have ended, with the name of the group only in its project', async () => {
    const group = await create({ name: 'lr' })
    const own = await queue([group])
    const elsewhere = await queue([group], { project_id: 'other' })
    await lead()
    await endMembers(group, ['failed'])
    await describeProgress()
    expect(await jobOf(own, ada)).toMatchObject({
      reason: 'dependency',
      reason_text: 'The job waits for other jobs or groups. Waits for group lr: 1 of 3 ended.',
    })
    expect(await jobOf(elsewhere, ada)).toMatchObject({
      reason_detail: `Waits for group ${group}: 1 of 3 ended.`,
    })
    expect(await call(jobRoutes.get, '/x', { params: { id: own }, ...ada })).toMatchObject({
      body: {
        depends_on: [
          { job_id: null, group_id: group, when: 'ok', name: 'lr', status: 'running', members: 3, ended: 1 },
        ],
      },
    })
    expect(await call(jobRoutes.get, '/x', { params: { id: elsewhere }, ...ada })).toMatchObject({
      body: { depends_on: [{ group_id: group, name: null }] },
    })
  })

  it('waits for jobs and groups together, and its hold is independent of them', async () => {
    const [group, job] = [await create({ name: 'lr' }), await queue([])]
    const after = await queue([entry(group, 'any'), job])
    const setHeld = (held: boolean) =>
      call(queueRoutes.setHeld, '/x', { method: 'PATCH', body: { held }, params: { id: after }, ...ada })
    await lead()
    await setHeld(true)
    await endMembers(group, ['completed', 'failed', 'completed'])
    await lead()
    expect(await setHeld(false)).toMatchObject({
      body: { reason: 'dependency', reason_detail: `Not completed: ${job}.` },
    })
    await endJob(job, 'completed')
    await lead()
    expect(await isStartable(after)).toBe(true)
  })

  it('is decided at once if the group has ended', async () => {
    const [good, bad] = [await ended('completed', 'stopped_early'), await ended('completed', 'failed')]
    for (const dependency of [entry(good, 'ok'), entry(good, 'any'), entry(bad, 'any'), entry(bad, 'failed')])
      expect(await isStartable(await queue([dependency]))).toBe(true)
    for (const dependency of [entry(good, 'failed'), entry(bad, 'ok')]) {
      const refused = await submit({ command: 'true', depends_on: [dependency] }, ada)
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'depends_on' }] } })
      expect(JSON.stringify(refused.body)).toContain(`the group ${dependency.id}`)
    }
  })

  it.each([
    { first: 'the end', order: ['ending', 'accepting'] },
    { first: 'the submission', order: ['accepting', 'ending'] },
  ] as const)(
    'the end of a group and a submission that depends on it happen at the same time, and $first commits first: no end is missed',
    async ({ order }) => {
      const group = await create()
      await lead()
      await endMembers(group, ['completed', 'completed', 'completed'])
      const job = await queue([])
      const { rows } = await db.pool.query<{ id: string }>('SELECT project_id AS id FROM job_groups')
      const owner = ownerFor(ada.actor, { projectId: rows[0]?.id ?? '' })
      const open = { ending: await db.pool.connect(), accepting: await db.pool.connect() }
      try {
        for (const client of Object.values(open)) await client.query('BEGIN')
        await open.ending.query('SELECT 1 FROM job_groups WHERE id = $1 FOR UPDATE', [group])
        await open.ending.query(
          `UPDATE job_groups SET ended_at = now(), final_counts = '{"completed": 3, "failed": 0, "cancelled": 0}' WHERE id = $1`,
          [group],
        )
        const wait = await findWait(open.accepting, owner, { depends_on: [group] })
        expect(wait).toMatchObject({ dependencies: [{ id: group }] })
        await insertDependencies(open.accepting, job, wait)
        for (const name of order) {
          await settleDependencies()
          await open[name].query('COMMIT')
        }
      } finally {
        for (const client of Object.values(open)) client.release(true)
      }
      await settleDependencies()
      expect(await isStartable(job)).toBe(true)
      expect((await db.pool.query('SELECT 1 FROM job_dependencies')).rowCount).toBe(0)
    },
  )

  it('submissions and the members of the group enter at the same time: none waits for the other for ever', async () => {
    const group = await create({ matrix: { lr: { from: 1, to: 30 } } })
    const jobs = await Promise.all([
      ...Array.from({ length: 6 }, () => queue([group])),
      ...Array.from({ length: 3 }, () => lead()),
    ])
    for (const job of jobs.slice(0, 6)) expect(await isStartable(String(job))).toBe(false)
  })

  it('concurrent leaders settle an end once, and a leader that dies in the middle loses nothing', async () => {
    const group = await create()
    const jobs = [await queue([group]), await queue([entry(group, 'failed')])]
    await lead()
    await endMembers(group, ['completed', 'completed', 'completed'])
    while (await releaseMembers());
    const died = transaction(async (tx) => {
      await tx.query('SELECT 1 FROM jobs WHERE id = ANY ($1::uuid[]) FOR UPDATE', [jobs])
      await tx.query('DELETE FROM job_dependencies')
      throw new Error('killed')
    })
    await expect(died).rejects.toThrow('killed')
    await Promise.all([settleDependencies(), settleDependencies(), describeProgress()])
    expect(await isStartable(jobs[0] ?? '')).toBe(true)
    expect(await jobOf(jobs[1] ?? '', ada)).toMatchObject({ reason: 'dependency_completed' })
  })

  it('what runs again after the end holds nothing back that has started', async () => {
    const group = await create()
    const [job, next] = [
      await queue([entry(group, 'any')]),
      await create({ depends_on: [entry(group, 'any')], parallel: 1 }),
    ]
    await lead()
    await endMembers(group, ['failed', 'completed', 'completed'])
    await lead()
    await lead()
    expect(await ask('rerunFailed', group)).toMatchObject({ status: 200 })
    await lead()
    expect(await isStartable(job)).toBe(true)
    await endMembers(next, ['completed'])
    await lead()
    expect(await read(next)).toMatchObject({ counts: { completed: 1, pending: 1, held: 1 } })
  })

  it('a member that runs again before anybody waits for the group belongs to its next end', async () => {
    const group = await ended('failed', 'completed')
    await ask('rerunFailed', group)
    const job = await queue([group])
    await lead()
    expect(await isStartable(job)).toBe(false)
    await endMembers(group, ['completed'])
    await lead()
    expect(await isStartable(job)).toBe(true)
  })

  it('a job whose group is deleted ends, or starts if any end is enough', async () => {
    const group = await create()
    const [ok, any] = [await queue([group]), await queue([entry(group, 'any')])]
    await db.pool.query('DELETE FROM job_groups WHERE id = $1', [group])
    await settleDependencies()
    expect(await jobOf(ok, ada)).toMatchObject({
      reason: 'dependency_failed',
      reason_detail: `The job or group ${group} was deleted.`,
    })
    expect(await isStartable(any)).toBe(true)
  })

  it('is refused for a group of another user, as for one that does not exist', async () => {
    const foreign = await create({ project_id: 'of-bob' }, bob)
    for (const id of [foreign, randomUUID()]) {
      const refused = await submit({ command: 'true', depends_on: [entry(id, 'any')] }, ada)
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'depends_on' }] } })
      expect(JSON.stringify(refused.body)).toContain(`there is no job ${id} of yours, and no group`)
      expect(await post({ depends_on: [id] })).toMatchObject({ status: 422 })
    }
  })

  it('more than 32 jobs and groups, and one id with two conditions, are refused', async () => {
    const group = await create()
    const many = Array.from({ length: 33 }, () => randomUUID())
    for (const depends_on of [many, [group, entry(group, 'any')], [entry(group, 'later' as Condition)]])
      expect(await submit({ command: 'true', depends_on }, ada)).toMatchObject({ status: 422 })
    const job = await queue([entry(group, 'any'), `afterany:${group}`])
    expect((await db.pool.query('SELECT 1 FROM job_dependencies WHERE job_id = $1', [job])).rowCount).toBe(1)
  })

  it('an uploaded job keeps its conditions when it is submitted again', async () => {
    const group = await create()
    const config = `depends_on: [{id: ${group}, when: any}]\n`
    const first = await upload(ada, { config })
    expect(first).toMatchObject({ status: 202 })
    const source = await readSource(ada.actor, String(first.body.job_id))
    expect(source.config).toContain(`- "any:${group}"`)
    expect(await isStartable(String(first.body.job_id))).toBe(false)
  })

  it('a dry run says for which group the job would wait', async () => {
    const group = await create({ name: 'lr' })
    const answer = await upload(ada, { config: `depends_on: failed:${group}\n` }, 'dry_run=true')
    expect(dryRunSchema.parse(answer.body)).toMatchObject({
      text: expect.stringContaining('It would wait for others. Waits for group lr: 0 of 3 ended.'),
      waits_for: [group],
      queue_position: null,
      expected_start_text: 'It would wait for others. Waits for group lr: 0 of 3 ended.',
    })
  })
})

describe('a group that depends on others', () => {
  it('a group that depends on a group holds its members until that has ended, and tells how far it is', async () => {
    const first = await create({ name: 'lr' })
    const second = await create({ depends_on: [first] })
    expect(await read(second)).toMatchObject({
      counts: { held: 3 },
      waits_for_others: true,
      problem: 'It waits for others. Waits for group lr: 0 of 3 ended.',
    })
    await lead()
    await endMembers(first, ['completed', 'completed'])
    await lead()
    expect(await read(second)).toMatchObject({
      counts: { held: 3, pending: 0 },
      problem: 'It waits for others. Waits for group lr: 2 of 3 ended.',
    })
    await endMembers(first, ['stopped_early'])
    await lead()
    expect(await read(second)).toMatchObject({
      counts: { held: 0, pending: 3 },
      waits_for_others: false,
      problem: null,
    })
    expect((await db.pool.query('SELECT 1 FROM group_dependencies')).rowCount).toBe(0)
  })

  it.each<{ when: Condition; how: End; status: GroupDetail['status']; problem: RegExp | null }>([
    { when: 'ok', how: 'completed', status: 'running', problem: null },
    { when: 'any', how: 'failed', status: 'running', problem: null },
    { when: 'failed', how: 'cancelled', status: 'running', problem: null },
    {
      when: 'ok',
      how: 'failed',
      status: 'cancelled',
      problem: /^The job .* has ended as failed\. So the members/,
    },
    {
      when: 'failed',
      how: 'completed',
      status: 'cancelled',
      problem: /^The job .* has ended as completed\. So the/,
    },
  ])(
    'a group that depends on a job with the condition $when, which ends as $how, is $status',
    async ({ when, how, status, problem }) => {
      const job = await queue([])
      const group = await create({ depends_on: [entry(job, when)] })
      const after = await queue([entry(group, 'ok')])
      await endJob(job, how)
      await lead()
      await lead()
      const found = await read(group)
      expect(found.status).toBe(status)
      if (problem === null) expect(found).toMatchObject({ problem: null, counts: { pending: 3 } })
      else {
        expect(found.problem).toMatch(problem)
        expect(await jobOf(after, ada)).toMatchObject({ status: 'cancelled', reason: 'dependency_failed' })
      }
    },
  )

  it('a group that is cancelled while it waits waits for nothing any more', async () => {
    const group = await create({ depends_on: [await queue([])] })
    await ask('cancel', group)
    await lead()
    expect(await read(group)).toMatchObject({ status: 'cancelled', waits_for_others: false })
    expect((await db.pool.query('SELECT 1 FROM group_dependencies')).rowCount).toBe(0)
  })

  it('a dry run says for which group the members would wait', async () => {
    const first = await create({ name: 'lr' })
    const answer = await post({ depends_on: [entry(first, 'any')] }, ada, '?dry_run=true')
    expect(groupDryRunSchema.parse(answer.body)).toMatchObject({
      expected_start_text: 'It waits for others. Waits for group lr: 0 of 3 ended.',
    })
  })

  it('the members of a group that has started do not look at what it depended on again', async () => {
    const job = await queue([])
    const group = await create({ depends_on: [job], parallel: 1 })
    await endJob(job, 'completed')
    await lead()
    await db.pool.query('DELETE FROM jobs WHERE id = $1', [job])
    await endMembers(group, ['failed'])
    await lead()
    expect(await ask('rerunFailed', group)).toMatchObject({ status: 200 })
    await lead()
    expect(await read(group)).toMatchObject({ problem: null, counts: { pending: 1, held: 2 } })
  })
})
