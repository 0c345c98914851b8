import { expect, it, vi } from 'vitest'
import { makePerson } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { jobColumns } from '../../contract/job-columns'
import { testDatabase } from '../../database/testing/test-database'
import { listJobs } from './list'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

it('each job of a list has the reason for its status as text', async () => {
  const { actor } = await makePerson('researcher')
  const job = await makeJob({ userId: actor.userId })
  await db.pool.query(
    `UPDATE jobs SET status = 'failed', reason = 'out_of_memory', reason_detail = 'The limit was 512 MiB.', ended_at = now()
      WHERE id = $1`,
    [job],
  )
  await makeJob({ userId: actor.userId })
  const { items } = await listJobs(actor, { limit: 10 } as Parameters<typeof listJobs>[1])
  expect(items.map(({ reason_text }) => reason_text)).toEqual([
    null,
    'The job used more memory than its limit and was stopped. The limit was 512 MiB.',
  ])
})

it('each job of a list has the fields of all columns', async () => {
  const { actor } = await makePerson('researcher')
  await makeJob({ userId: actor.userId })
  const { items } = await listJobs(actor, { limit: 10 } as Parameters<typeof listJobs>[1])
  const fields = Object.values(jobColumns).flatMap((column) => ('field' in column ? column.field : []))
  expect(Object.keys(items[0] ?? {})).toEqual(expect.arrayContaining(fields))
  expect(items[0]).toMatchObject({ priority: 0 })
})
