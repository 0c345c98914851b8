import { expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { placeManually } from '../testing/placed'
import { makeJob, makeNode } from '../testing/rows'
import { claimTasks } from './tasks'

const db = testDatabase()

async function placedTask() {
  const lease = await makeNode()
  const task = await placeManually(lease.nodeId, await makeJob({ code: 'print(1)' }))
  await db.pool.query("UPDATE tasks SET status = 'scheduled' WHERE id = $1", [task])
  return { lease, task }
}

it('returns a claimed task with its GPUs, once', async () => {
  const { lease, task } = await placedTask()
  const claims = await Promise.all([claimTasks(lease), claimTasks(lease)])
  expect(claims.flat()).toMatchObject([
    { id: task, status: 'starting', code: Buffer.from('print(1)'), gpus: [{ index: 0, milli: 1000 }] },
  ])
  expect(await claimTasks(lease)).toEqual([])
})

it('does not claim a task that another transaction ends meanwhile', async () => {
  const { lease, task } = await placedTask()
  const other = await db.pool.connect()
  await other.query('BEGIN')
  await other.query(
    "UPDATE tasks SET status = 'lost', ended_at = now(), reason = 'node_lost' WHERE id = $1",
    [task],
  )
  const claiming = claimTasks(lease)
  const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%claimed%'`
  while ((await db.pool.query(waits)).rowCount === 0);
  await other.query('COMMIT')
  other.release()
  expect(await claiming).toEqual([])
})
