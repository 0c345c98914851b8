import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { queueRoutes } from '../../routes/queue/queue'
import { cancel, prioritize, readJob, readQueue, submit } from '../../routes/testing/queue-client'
import { queueGroupSchema } from '../contract-queue'
import { releaseMembers } from '../release-members'
import { groupRoutes } from '../routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[ada, bob] = [await makePerson(), await makePerson()]
  await db.pool.query('UPDATE users SET submissions_per_minute = 1000, max_active_jobs = 100')
  // The first job creates an environment.
  await makeJob()
})
beforeEach(() => db.pool.query('TRUNCATE job_groups, jobs, active_job_changes CASCADE'))

const sweep = {
  run_id: 'sweep',
  command: 'python train.py --lr {lr}',
  matrix: { lr: [0.1, 0.01, 0.001] },
  parallel: 2,
  gpu_count: 1,
  estimated_duration_seconds: 60,
}

/** Submits a group to the queue, whose first members then have a place in it. */
async function submitted(body: object = sweep): Promise<string> {
  const answer = await submit(body, ada)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  while (await releaseMembers());
  return queueGroupSchema.parse(answer.body).job_id
}

const itemOf = async (id: string) => queueGroupSchema.parse((await readJob(id, ada)).body)

it('a matrix in a submission to the queue makes a group, which the queue reads and cancels by its id', async () => {
  const answer = await submit(sweep, ada)
  expect(answer).toMatchObject({
    status: 201,
    body: { run_id: 'sweep', user: ada.handle, status: 'queued', members: 3, parallel: 2, hints: [] },
  })
  const { job_id: id, group_id } = queueGroupSchema.parse(answer.body)
  expect(group_id).toBe(id)
  expect(answer.headers.get('location')).toBe(`/api/queue/${id}`)
  while (await releaseMembers());
  const item = await itemOf(id)
  expect(item).toMatchObject({ status: 'queued', position: 1, counts: { pending: 2, held: 1 } })
  const { queued } = await readQueue(ada)
  expect(queued.map(({ group_id: of, command }) => [of, command])).toEqual([
    [id, 'python train.py --lr 0.1'],
    [id, 'python train.py --lr 0.01'],
  ])
  expect(await cancel(id, ada)).toMatchObject({
    status: 200,
    body: { job_id: id, status: 'cancelled', position: null, counts: { cancelled: 3 } },
  })
  expect(await itemOf(id)).toMatchObject({
    status: 'cancelled',
    counts: { cancelled: 3, pending: 0, held: 0 },
  })
})

it.each([
  ['array', { array: '0-9%3' }, { members: 10, parallel: 3 }],
  ['members', { members: [{ command: 'true' }, { gpu_count: 2 }] }, { members: 2 }],
])('%s in a submission to the queue makes a group', async (_, keys, expected) => {
  const { matrix: ___, parallel: ____, ...base } = sweep
  const { body } = await submit({ ...base, command: 'true', ...keys }, ada)
  expect(body).toMatchObject(expected)
})

it('a wave in a submission to the queue may be as large as in the API of groups', async () => {
  const members = Array.from({ length: 300 }, () => ({ note: 'x'.repeat(1000) }))
  expect(await submit({ command: 'true', members }, ada)).toMatchObject({
    status: 201,
    body: { members: 300 },
  })
})

it('a group in the queue runs while a member has started, and has the same data as in the API of groups', async () => {
  const id = await submitted()
  await db.pool.query(
    `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now()
      WHERE id = (SELECT job_id FROM group_members WHERE group_id = $1 AND index = 0)`,
    [id],
  )
  while (await releaseMembers());
  expect(await itemOf(id)).toMatchObject({ status: 'running', counts: { completed: 1, pending: 2 } })
  const { body } = await call(groupRoutes.get, `/api/groups/${id}`, { params: { id }, ...ada })
  expect(body).toMatchObject({ name: 'sweep', counts: { completed: 1, pending: 2 }, competition_id: 'queue' })
})

it('a group in the queue with a paused member has started, and its place is that of the member that waits', async () => {
  const id = await submitted()
  await db.pool.query(
    `UPDATE jobs SET held = true, reason = 'group_paused'
      WHERE id = (SELECT job_id FROM group_members WHERE group_id = $1 AND index = 0)`,
    [id],
  )
  // The leader's forecast may be older.
  await vi.waitFor(
    async () =>
      expect(await itemOf(id)).toMatchObject({
        status: 'running',
        position: 1,
        counts: { paused: 1, pending: 1 },
      }),
    30_000,
  )
})

it('a group has no priority and is not held, and the queue names what to use instead', async () => {
  const id = await submitted()
  const held = await call(queueRoutes.setHeld, '/x', {
    method: 'PATCH',
    body: { held: true },
    params: { id },
    ...ada,
  })
  for (const answer of [await prioritize(id, { priority: 1 }, ada), held])
    expect(answer).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(`/api/groups/${id}/cancel`) },
    })
})

it('a group in the queue is invisible to other users and to tokens without the scope', async () => {
  const id = await submitted()
  for (const answer of [
    await readJob(id, bob),
    await cancel(id, bob),
    await prioritize(id, { priority: 1 }, bob),
  ])
    expect(answer.status).toBe(404)
  const { token } = await makeToken(ada, ['read'])
  expect((await cancel(id, { token })).status).toBe(403)
  expect(await itemOf(id)).toMatchObject({ counts: { cancelled: 0 } })
})

it('a submission of a group to the queue is checked like every other one', async () => {
  for (const [body, path] of [
    [{ ...sweep, array: '0-9' }, 'array'],
    [{ ...sweep, matrix: { lr: { uniform: [0, 1] } } }, 'matrix.lr'],
    [{ ...sweep, matrx: 1 }, 'matrx'],
    [{ ...sweep, command: undefined }, 'command'],
    [{ ...sweep, user: bob.handle }, 'user'],
    [{ ...sweep, tty: true }, 'tty'],
  ] as const)
    expect(await submit(body, ada), path).toMatchObject({ status: 422, body: { errors: [{ path }] } })
  const deduplicated = await call(queueRoutes.submit, '/api/queue/submit?deduplicate=true', {
    method: 'POST',
    body: sweep,
    ...ada,
  })
  expect(deduplicated).toMatchObject({ status: 422, body: { errors: [{ path: 'deduplicate' }] } })
  expect((await db.pool.query('SELECT 1 FROM job_groups')).rowCount).toBe(0)
})

it('the same key is the same group, and a dry run of a group stores nothing', async () => {
  const keyed = { ...ada, headers: { 'idempotency-key': 'night-1' } }
  const first = await submit({ ...sweep, user: ada.handle }, keyed)
  const again = await submit({ ...sweep, user: ada.handle }, keyed)
  expect([first.status, again.status]).toEqual([201, 200])
  expect(queueGroupSchema.parse(again.body).job_id).toBe(queueGroupSchema.parse(first.body).job_id)
  const dry = await call(queueRoutes.submit, '/api/queue/submit?dry_run=true', {
    method: 'POST',
    body: sweep,
    ...ada,
  })
  expect(dry).toMatchObject({ status: 200, body: { dry_run: true, members: 3 } })
  expect((await db.pool.query('SELECT 1 FROM job_groups')).rowCount).toBe(1)
})
