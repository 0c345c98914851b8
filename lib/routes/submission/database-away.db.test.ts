import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { connect, type Database, setDatabase } from '../../database/client'
import { testDatabase } from '../../database/testing/test-database'
import { cancelJob } from '../../jobs/lifecycle/cancel'
import { upload } from '../testing/upload'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

/** A database that does not answer. */
let none: Database
let ada = {} as Person
beforeAll(async () => {
  none = connect('postgres://nobody@127.0.0.1:1/none', 1)
  ada = await makePerson()
  // The first job creates an environment.
  await makeJob()
})
afterEach(() => setDatabase(db))
afterAll(() => none.close())

/** Uploads a job, and stops the database as soon as the job is accepted. */
async function uploadAndLose() {
  const leaving = new AbortController()
  const answer = upload(ada, {}, 'wait=120', {}, leaving.signal)
  const accepted = async () =>
    (await db.pool.query<{ id: string }>('SELECT id FROM jobs WHERE user_id = $1', [ada.id])).rows[0]?.id
  await vi.waitFor(async () => expect(await accepted()).toBeDefined(), { timeout: 30_000 })
  setDatabase(none)
  return { id: (await accepted()) ?? '', answer, leave: () => leaving.abort() }
}

it('a waiting upload receives its answer if the database restarts meanwhile', async () => {
  const { id, answer } = await uploadAndLose()
  const looks = vi.spyOn(none.pool, 'query')
  for (const count of [1, 2, 3]) {
    await db.pool.query(`SELECT pg_notify('gpuq_job', $1)`, [id])
    await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThanOrEqual(count), { timeout: 30_000 })
  }
  setDatabase(db)
  await cancelJob(ada.actor, id)
  expect(await answer).toMatchObject({ status: 200, body: { job_id: id, status: 'cancelled' } })
  await db.pool.query('DELETE FROM jobs WHERE id = $1', [id])
})

it('an upload that stops waiting receives the id of its job while the database is down', async () => {
  const { id, answer, leave } = await uploadAndLose()
  leave()
  const { status, headers, body } = await answer
  expect(status).toBe(503)
  expect(headers.get('location')).toBe(`/api/status/${id}`)
  expect(headers.get('retry-after')).toBe('5')
  expect(body.detail).toContain(`accepted job ${id}`)
})
