import { beforeAll, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { cancelJob } from '../../jobs/lifecycle/cancel'
import { readJob } from '../../jobs/read/read'
import { claimDelivery, delayDelivery, dueDeliveries, settleDelivery } from '../../notifications/outbox'
import { upload } from '../testing/upload'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let admin = {} as Person
beforeAll(async () => {
  admin = await makePerson('admin')
  // The first job creates an environment.
  await makeJob()
})

it('only an ended job with a notify_url has a notification due', async () => {
  const asked = await upload(admin, { config: 'notify_url: https://example.org/done' })
  const unasked = await upload(admin)
  expect(await dueDeliveries(10, 10, 10)).toEqual([])
  for (const { body } of [asked, unasked]) await cancelJob(admin.actor, String(body.job_id))
  await makeDue()
  const [due, ...others] = await dueDeliveries(10, 10, 10)
  expect(others).toEqual([])
  expect(await claimDelivery(due?.id ?? '')).toMatchObject({
    notifyUrl: 'https://example.org/done',
    event: 'job.cancelled',
    data: { job_id: asked.body.job_id, status: 'cancelled', reason: 'cancelled_by_user' },
  })
  await db.pool.query('DELETE FROM notification_deliveries')
})

/** Due also by the clock of another processor, which may be slightly behind. */
const makeDue = () =>
  db.pool.query(`UPDATE notification_deliveries SET next_try_at = now() - interval '1 second'`)

it('the status of a job has the state of its notification, but not the address', async () => {
  const { body } = await upload(admin, { config: 'notify_url: https://example.org/done?key=secret' })
  const jobId = String(body.job_id)
  const notice = async () => (await readJob(admin.actor, jobId)).notice
  expect(await notice()).toMatchObject({ state: 'waiting', attempts: 0 })
  await cancelJob(admin.actor, jobId)
  expect(await notice()).toMatchObject({ state: 'retrying', problem: null })
  await makeDue()
  const [due] = await dueDeliveries(10, 10, 10)
  const claimed = await claimDelivery(due?.id ?? '')
  if (!claimed) throw new Error('The notification is not due.')
  const answered = { status: 500, response: 'secret', problem: 'The address answered 500.' }
  await delayDelivery(claimed, answered, null)
  expect(await notice()).toMatchObject({
    state: 'retrying',
    attempts: 1,
    problem: 'The address answered 500.',
    next_try_at: expect.stringMatching(/Z$/),
  })
  await settleDelivery(claimed, { ...answered, problem: 'The address answered 503.' })
  expect(await notice()).toMatchObject({
    state: 'failed',
    problem: 'The address answered 503.',
    next_try_at: null,
  })
  expect(JSON.stringify(await readJob(admin.actor, jobId))).not.toContain('secret')
  const unasked = await upload(admin)
  expect((await readJob(admin.actor, String(unasked.body.job_id))).notice).toBeNull()
})
