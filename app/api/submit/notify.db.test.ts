import { beforeAll, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '@/lib/access/testing/people'
import { makeJob } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { cancelJob } from '@/lib/jobs/lifecycle/cancel'
import { claimNotice, dueNotices, noteNoticeProblem, settleNotice } from '@/lib/jobs/lifecycle/notifications'
import { readJob } from '@/lib/jobs/read/read'
import { upload } from './testing/upload'

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
  expect(await dueNotices(10, 10)).toEqual([])
  for (const { body } of [asked, unasked]) await cancelJob(admin.actor, String(body.job_id))
  expect(await dueNotices(10, 10)).toMatchObject([
    {
      jobId: asked.body.job_id,
      url: 'https://example.org/done',
      status: 'cancelled',
      reason: 'cancelled_by_user',
    },
  ])
})

it('the status of a job has the state of its notification, but not the address', async () => {
  const { body } = await upload(admin, { config: 'notify_url: https://example.org/done?key=secret' })
  const jobId = String(body.job_id)
  const notice = async () => (await readJob(admin.actor, jobId)).notice
  expect(await notice()).toMatchObject({ state: 'waiting', attempts: 0 })
  await cancelJob(admin.actor, jobId)
  expect(await notice()).toMatchObject({ state: 'trying', problem: null })
  // Due also by the clock of another processor, which may be slightly behind.
  await db.pool.query(`UPDATE job_notifications SET next_try_at = now() - interval '1 second'`)
  await claimNotice(jobId)
  await noteNoticeProblem(jobId, 'The address answered 500.')
  expect(await notice()).toMatchObject({
    state: 'trying',
    attempts: 1,
    problem: 'The address answered 500.',
    next_try_at: expect.stringMatching(/Z$/),
  })
  await settleNotice(jobId, 'The address answered 503.')
  expect(await notice()).toMatchObject({
    state: 'given_up',
    problem: 'The address answered 503.',
    next_try_at: null,
  })
  expect(JSON.stringify(await readJob(admin.actor, jobId))).not.toContain('secret')
  const unasked = await upload(admin)
  expect((await readJob(admin.actor, String(unasked.body.job_id))).notice).toBeNull()
})
