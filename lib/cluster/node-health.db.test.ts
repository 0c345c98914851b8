import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../database/testing/test-database'
import type { Outcome } from '../jobs/attempt-end'
import { type Lease, registerNode } from './nodes'
import { finishTask, unfinishedTasks } from './tasks'
import { placeByHand } from './testing/placed'
import { makeJob, makeNode } from './testing/rows'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
  await db.pool.query('UPDATE policies SET quarantine_after = 3')
})

const pullFailed: Outcome = {
  reason: 'image_unavailable',
  detail: 'The image "lab/torch:2" is not to be had.',
  exitCode: null,
}
const worked: Outcome = { reason: 'exit_code', detail: 'Exit code 1.', exitCode: 1 }

/** Ends one attempt of a job on the node. */
async function end(lease: Lease, outcome: Outcome, job?: string): Promise<void> {
  const taskId = await placeByHand(lease.nodeId, job ?? (await makeJob({ maxRetries: 10 })))
  const task = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
  if (!task) throw new Error('the task is not there')
  await finishTask(lease, task, outcome)
}

async function health(lease: Lease) {
  const { rows } = await db.pool.query<{ failures: number; reason: string | null; closed: boolean }>(
    `SELECT failures_in_row AS failures, quarantine_reason AS reason, quarantined_at IS NOT NULL AS closed
       FROM nodes WHERE id = $1`,
    [lease.nodeId],
  )
  return rows[0]
}

describe('a node on which jobs fail', () => {
  it('is closed once as many jobs in a row failed for its own reasons as the policy says, and says what failed', async () => {
    const lease = await makeNode()
    await end(lease, pullFailed)
    await end(lease, { reason: 'internal_error', detail: null, exitCode: null })
    expect(await health(lease)).toEqual({ failures: 2, reason: null, closed: false })
    await end(lease, pullFailed)
    expect(await health(lease)).toMatchObject({ failures: 3, closed: true })
    expect((await health(lease))?.reason).toBe(
      'Jobs that failed here in a row, for no fault of their own: 3. The last one: The environment\'s image could not be had on the node. The image "lab/torch:2" is not to be had.',
    )
  })

  it('stays open when a program ran in between, whatever became of it', async () => {
    const lease = await makeNode()
    for (const outcome of [pullFailed, pullFailed, worked, pullFailed, pullFailed]) await end(lease, outcome)
    expect(await health(lease)).toMatchObject({ failures: 2, closed: false })
  })

  it('is not blamed for one job that fails on it again and again, nor for what others decided', async () => {
    const lease = await makeNode()
    const job = await makeJob({ maxRetries: 10 })
    for (let i = 0; i < 4; i++) await end(lease, pullFailed, job)
    expect(await health(lease)).toMatchObject({ failures: 1, closed: false })
    for (const reason of ['preempted', 'worker_stopped', 'cancelled_by_user'] as const)
      await end(lease, { reason, detail: null, exitCode: 143 })
    expect(await health(lease)).toMatchObject({ failures: 1, closed: false })
  })

  it('stays closed, paused and in its pool when its worker starts again', async () => {
    const lease = await makeNode({ name: 'lab-1', engineId: 'engine' })
    for (let i = 0; i < 3; i++) await end(lease, pullFailed)
    await db.pool.query('UPDATE nodes SET paused_at = now()')
    const again = await registerNode({
      name: 'lab-1',
      engineId: 'engine',
      engineVersion: '29',
      warnings: [],
      cpuMilli: 1000,
      memoryMib: 1000,
      pool: 'reserved',
      gpus: [],
    })
    expect(again.nodeId).toBe(lease.nodeId)
    const { rows } = await db.pool.query(
      'SELECT pool, paused_at IS NOT NULL AS paused, quarantined_at IS NOT NULL AS closed FROM nodes',
    )
    expect(rows).toEqual([{ pool: 'reserved', paused: true, closed: true }])
  })
})
