import { beforeAll, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '@/lib/access/testing/people'
import { makeJob } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { cancelJob } from '@/lib/jobs/cancel'
import { dueNotices } from '@/lib/jobs/notifications'
import { upload } from './testing/upload'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
testDatabase()

let admin = {} as Person
beforeAll(async () => {
  admin = await makePerson('admin')
  // An environment is there once one job is.
  await makeJob()
})

it('a job with a notify_url is due to be told once it has ended, and no other is', async () => {
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
