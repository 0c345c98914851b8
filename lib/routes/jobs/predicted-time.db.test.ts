import { expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson } from '../../access/testing/people'
import { copyRows, makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { jobRoutes } from './jobs'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

it('a job that has not ended has a predicted time, unless the policy switches predictions off', async () => {
  const ada = await makePerson()
  const read = async (id: string) => {
    const { body } = await call(jobRoutes.get, `/api/status/${id}`, { ...ada, params: { id } })
    return (body as { predicted_time: unknown }).predicted_time
  }
  const ended = await makeJob({ userId: ada.id })
  await db.pool.query(
    `UPDATE jobs SET name = 'train', status = 'completed', reason = 'finished', exit_code = 0,
            started_at = now() - interval '30 s', ended_at = now()`,
  )
  await copyRows('jobs', ended, {}, { count: 3 })
  const waiting = await makeJob({ userId: ada.id })
  await db.pool.query("UPDATE jobs SET name = 'train', expected_time_s = 100 WHERE id = $1", [waiting])
  expect(await read(ended)).toBeNull()
  expect(await read(waiting)).toEqual({ seconds: 50, basis: 'same_program', jobs: 4 })
  await db.pool.query('UPDATE policies SET predict_run_times = false')
  expect(await read(waiting)).toBeNull()
})
