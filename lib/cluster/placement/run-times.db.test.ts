import { beforeEach, expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { copyRows, makeJob, makeUser } from '../testing/rows'
import { queryRunTimes } from './run-times'
import { takeSnapshot } from './snapshot'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, users CASCADE')
  await db.pool.query('UPDATE policies SET predict_run_times = true')
})

/** Inserts jobs that estimated 100 s and ran for `ranS`. */
async function makeEnded(options: { userId: string; ranS: number; count: number; status?: string }) {
  const { userId, ranS, count, status = 'completed' } = options
  const id = await makeJob({ userId })
  await db.pool.query(
    `UPDATE jobs SET name = 'train', expected_time_s = 100, time_limit_s = 200, status = $2::"JobStatus", exit_code = CASE $2 WHEN 'completed' THEN 0 ELSE 1 END,
            reason = CASE $2 WHEN 'completed' THEN 'finished' ELSE 'exit_code' END,
            started_at = now() - make_interval(secs => $3), ended_at = now() WHERE id = $1`,
    [id, status, ranS],
  )
  await copyRows('jobs', id, {}, { count: count - 1 })
}

async function projectOf(userId: string): Promise<string> {
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM projects WHERE owner_id = $1', [
    userId,
  ])
  return rows[0]?.id ?? ''
}

it('reads the completed jobs of users with a live job, and no others that are old', async () => {
  const [ada, ben] = [await makeUser(), await makeUser()]
  await makeEnded({ userId: ada, ranS: 25, count: 5 })
  await makeEnded({ userId: ada, ranS: 1, count: 9, status: 'failed' })
  // The latest jobs of all users push those of ada out, unless she has a live job.
  await makeEnded({ userId: ben, ranS: 50, count: 600 })
  await db.pool.query(
    'UPDATE jobs SET ended_at = ended_at - interval $$1 day$$, started_at = started_at - interval $$1 day$$ WHERE user_id = $1',
    [ada],
  )
  const predict = async () => {
    const facts = { userId: ada, projectId: await projectOf(ada), name: 'train', contentHash: null }
    const { expectedMs, basis, jobs } = (await queryRunTimes()).predict(facts, 1_000, 10_000)
    return [expectedMs, basis, jobs]
  }
  expect(await predict()).toEqual([500, 'all_jobs', 30])
  await makeJob({ userId: ada })
  expect(await predict()).toEqual([250, 'same_program', 5])
})

it('a snapshot has the predicted times of waiting and running jobs, and the estimates if the policy says so', async () => {
  const ada = await makeUser()
  await makeEnded({ userId: ada, ranS: 25, count: 5 })
  const waiting = await makeJob({ userId: ada })
  await db.pool.query(
    "UPDATE jobs SET name = 'train', expected_time_s = 80, time_limit_s = 160 WHERE id = $1",
    [waiting],
  )
  const expected = async () =>
    (await takeSnapshot()).snapshot.waiting.map(({ expectedMs }) => Math.round(expectedMs))
  expect(await expected()).toEqual([20_000])
  await db.pool.query('UPDATE policies SET predict_run_times = false')
  expect(await expected()).toEqual([80_000])
})
