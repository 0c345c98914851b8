import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import type { Person } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import { transaction } from '../../database/transaction'
import { readWait } from '../../jobs/dependencies/open-dependencies'
import { settleDependencies } from '../../jobs/dependencies/settle-dependencies'
import { holdJob } from '../../jobs/state/hold'
import { jobRoutes } from '../jobs/jobs'
import { cancel, jobOf, makePeople, readQueue, submit, submitted } from '../testing/queue-client'
import { upload } from '../testing/upload'
import { queueRoutes } from './queue'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada, bob] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  ;[admin, ada, bob] = await makePeople()
})
beforeEach(() => db.pool.query('TRUNCATE jobs CASCADE'))

const queue = (after: readonly string[] = [], more: object = {}) =>
  submitted({ depends_on: after, ...more }, ada)

/** Ends a waiting job as if it had run, and lets the leader see it. */
async function end(id: string, status: 'completed' | 'failed'): Promise<void> {
  const [reason, exitCode] = status === 'completed' ? ['finished', 0] : ['exit_code', 1]
  await db.pool.query(
    'UPDATE jobs SET status = $2, reason = $3, exit_code = $4, ended_at = now() WHERE id = $1',
    [id, status, reason, exitCode],
  )
  await settleDependencies()
}

const setHeld = (id: string, held: boolean) =>
  call(queueRoutes.setHeld, '/x', { method: 'PATCH', body: { held }, params: { id }, ...ada })

/** The jobs that the scheduler may start. */
async function startable(): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT id FROM jobs WHERE status = 'pending' AND NOT held ORDER BY id`,
  )
  return rows.map(({ id }) => id)
}

async function unsettled(): Promise<number> {
  const { rows } = await db.pool.query('SELECT 1 FROM job_dependencies')
  return rows.length
}

describe('a job that depends on others', () => {
  it('waits until all of them have completed, and says for which it waits', async () => {
    const prepare = await queue([], { name: 'prepare' })
    const download = await queue()
    const train = await queue([prepare, download])
    await settleDependencies()
    expect(await startable()).toEqual([prepare, download])
    const waiting = await jobOf(train, ada)
    expect(waiting).toMatchObject({ status: 'queued', reason: 'dependency', position: null })
    expect(waiting.reason_text).toContain(`Not completed: ${prepare}, ${download}.`)
    await end(prepare, 'completed')
    expect((await jobOf(train, ada)).reason_detail).toBe(`Not completed: ${download}.`)
    expect(await startable()).toEqual([download])
    await end(download, 'completed')
    expect(await startable()).toEqual([train])
    expect(await jobOf(train, ada)).toMatchObject({ status: 'queued', reason: null })
    expect(await unsettled()).toBe(0)
  })

  it('is cancelled when one of them does not complete, and so are those that depend on it', async () => {
    const first = await queue([], { name: 'first' })
    const other = await queue()
    const second = await queue([first, other])
    const third = await queue([second])
    await end(first, 'failed')
    await settleDependencies()
    expect(await jobOf(second, ada)).toMatchObject({
      status: 'cancelled',
      reason: 'dependency_failed',
      reason_detail: `The job ${first} has ended as failed.`,
    })
    expect(await jobOf(third, ada)).toMatchObject({ status: 'cancelled', reason: 'dependency_failed' })
    expect(await startable()).toEqual([other])
    await settleDependencies()
    expect(await unsettled()).toBe(0)
  })

  it('a job that depends on others that is cancelled while it waits leaves nothing', async () => {
    const first = await queue()
    const second = await queue([first])
    expect((await cancel(second, ada)).status).toBe(200)
    await settleDependencies()
    expect(await unsettled()).toBe(0)
    expect(await jobOf(second, ada)).toMatchObject({ reason: 'cancelled_by_user' })
  })

  it('stays held when its owner holds it, and still waits for the others when it is released', async () => {
    const first = await queue()
    const second = await queue([first])
    expect(await setHeld(second, false)).toMatchObject({ status: 200, body: { reason: 'dependency' } })
    expect(await setHeld(second, true)).toMatchObject({ status: 200, body: { reason: 'held' } })
    await settleDependencies()
    const released = await setHeld(second, false)
    expect(released).toMatchObject({ status: 200, body: { reason: 'dependency' } })
    expect(await startable()).toEqual([first])
    await setHeld(second, true)
    await end(first, 'completed')
    expect(await jobOf(second, ada)).toMatchObject({ status: 'queued', reason: 'held' })
    expect(await startable()).toEqual([])
    await setHeld(second, false)
    expect(await startable()).toEqual([second])
  })

  it('a held job that depends on a failed one and is released before the leader saw the failure never starts', async () => {
    const first = await queue()
    const second = await queue([first])
    await setHeld(second, true)
    await db.pool.query(
      `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 1, ended_at = now() WHERE id = $1`,
      [first],
    )
    expect(await setHeld(second, false)).toMatchObject({ body: { reason: 'dependency' } })
    expect(await startable()).toEqual([])
    await settleDependencies()
    expect(await jobOf(second, ada)).toMatchObject({ status: 'cancelled', reason: 'dependency_failed' })
  })

  it('a release waits for the leader that settles the last dependency of the job', async () => {
    const first = await queue()
    const second = await queue([first])
    await setHeld(second, true)
    const leader = await db.pool.connect()
    try {
      await leader.query('BEGIN')
      await leader.query('SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE', [second])
      await leader.query('DELETE FROM job_dependencies')
      const released = transaction(async (tx) => holdJob(tx, second, false, await readWait(tx, second)))
      await vi.waitFor(async () => {
        const { rowCount } = await db.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        expect(rowCount).toBe(1)
      }, 60_000)
      await leader.query('COMMIT')
      await released
    } finally {
      leader.release(true)
    }
    expect(await jobOf(second, ada)).toMatchObject({ reason: null })
  })

  it('starts at once if they have completed, and is refused if one of them can not complete any more', async () => {
    const [done, failed] = [await queue(), await queue()]
    await end(done, 'completed')
    await end(failed, 'failed')
    const next = await queue([done])
    expect(await startable()).toEqual([next])
    const refused = await submit({ command: 'true', depends_on: [done, failed] }, ada)
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'depends_on' }] } })
    expect(JSON.stringify(refused.body)).toContain(`the job ${failed} has ended as failed`)
  })

  it('is refused for a job of another user, as for one that does not exist', async () => {
    const foreign = await submitted({}, bob)
    for (const id of [foreign, randomUUID()]) {
      const refused = await submit({ command: 'true', depends_on: [id] }, ada)
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'depends_on' }] } })
      expect(JSON.stringify(refused.body)).toContain(`there is no job ${id} of yours`)
    }
    const own = await submitted({ user: 'ada-2', command: 'true' }, admin)
    expect((await submit({ command: 'true', user: 'ada-2', depends_on: [own] }, admin)).status).toBe(201)
  })

  it('is in the queue after those that may start, and its page names the others', async () => {
    const first = await queue([], { name: 'first' })
    const second = await queue([first], { priority: 50 })
    const { queued } = await readQueue(ada)
    expect(queued.map(({ job_id, position }) => [job_id, position])).toContainEqual([second, null])
    const elsewhere = await queue([], { name: 'elsewhere', project_id: 'other' })
    const third = await queue([elsewhere])
    expect(await call(jobRoutes.get, '/x', { params: { id: third }, ...ada })).toMatchObject({
      body: { depends_on: [{ job_id: elsewhere, name: null, status: 'pending' }] },
    })
    const page = await call(jobRoutes.get, '/x', { params: { id: second }, ...ada })
    expect(page).toMatchObject({
      status: 200,
      body: { depends_on: [{ job_id: first, name: 'first', status: 'pending' }] },
    })
  })
})

it('an uploaded job depends on others by the key depends_on of its config', async () => {
  const first = await queue()
  expect(await upload(ada, { config: `depends_on: ${first}` })).toMatchObject({ status: 202 })
  expect(await startable()).toEqual([first])
})
