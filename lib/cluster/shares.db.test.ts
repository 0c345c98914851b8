import { expect, it } from 'vitest'
import { testDatabase } from '../database/testing/test-database'
import { readShares } from './shares'
import { placeByHand } from './testing/placed'
import { makeJob, makeNode } from './testing/rows'

const db = testDatabase()

it('is used up as soon as the GPU hours that people are shown reach the budget, and never without one', async () => {
  const { nodeId } = await makeNode({ gpus: 2 })
  const job = await makeJob()
  await placeByHand(nodeId, job, { indices: [0, 1], milli: 500 })
  await db.pool.query("UPDATE allocations SET created_at = now() - interval '3 hours'")
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM projects')
  const exhaustedBy = async (budget: number | null) => {
    await db.pool.query('UPDATE projects SET gpu_hour_budget = $1', [budget])
    return (await readShares([rows[0]?.id ?? ''], null))[0]?.exhausted
  }
  expect([
    await exhaustedBy(null),
    await exhaustedBy(3.1),
    await exhaustedBy(3),
    await exhaustedBy(0),
  ]).toEqual([false, false, true, true])
})
