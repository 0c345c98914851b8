import { beforeEach, expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { placeManually } from '../testing/placed'
import { makeJob, makeNode } from '../testing/rows'
import { readShares } from './shares'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})

it('usage halves with every half-life since its end, for each user and for the project', async () => {
  const { nodeId } = await makeNode({ gpus: 2 })
  const [job, other] = [await makeJob(), await makeJob()]
  await db.pool.query('UPDATE jobs SET project_id = (SELECT project_id FROM jobs WHERE id = $1)', [job])
  await placeManually(nodeId, job, { indices: [0] })
  await placeManually(nodeId, other, { indices: [1], milli: 500 })
  // One hour of a whole GPU that ended two half-lives ago, and half a GPU held for the last hour.
  await db.pool.query(
    `UPDATE allocations SET created_at = now() - CASE milli WHEN 500 THEN interval '1 hour' ELSE interval '5 hours' END,
            released_at = CASE milli WHEN 500 THEN NULL ELSE now() - interval '4 hours' END`,
  )
  const hour = 3_600_000
  const { rows } = await db.pool.query<{ project_id: string; user_id: string }>(
    'SELECT project_id, user_id FROM jobs ORDER BY id = $1 DESC',
    [job],
  )
  const [share] = await readShares([rows[0]?.project_id ?? ''], 2 * hour)
  const used = new Map(share?.userUsage.map(({ userId, usage }) => [userId, usage / hour]))
  expect(rows.map(({ user_id }) => used.get(user_id))).toEqual([
    expect.closeTo(0.25, 2),
    expect.closeTo(0.5, 2),
  ])
  expect((share?.usage ?? 0) / hour).toBeCloseTo(0.75, 2)
})
