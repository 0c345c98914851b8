import { beforeEach, describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { transaction } from '../../database/transaction'
import type { Outcome } from '../../jobs/state/finish'
import { logger } from '../../logger'
import type { Lease } from '../nodes/nodes'
import { finishTask } from '../tasks/finish-task'
import { unfinishedTasks } from '../tasks/tasks'
import { placeManually } from '../testing/placed'
import { publishLongLived } from '../testing/publish-long-lived'
import { jobState, makeJob, makeNode, readBooks } from '../testing/rows'
import { startJob } from './place'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users, next_in_line CASCADE')
  await db.pool.query('UPDATE policies SET running = true, backfill = true')
})

const finished: Outcome = { reason: 'finished', detail: null, exitCode: 0 }

/** A node with one running job on each GPU, and a function that ends one of them. */
async function busyNode(gpus = 1): Promise<{ lease: Lease; end: (outcome?: Outcome) => Promise<void> }> {
  const lease = await makeNode({ gpus })
  for (let index = 0; index < gpus; index++) {
    await placeManually(lease.nodeId, await makeJob(), { indices: [index] })
  }
  const running = await unfinishedTasks(lease)
  return {
    lease,
    end: async (outcome = finished) => {
      const task = running.pop()
      if (!task) throw new Error('No task is running.')
      await finishTask(lease, task, outcome)
    },
  }
}

/** The time in milliseconds between consecutive allocations of the same GPU. */
async function gaps(): Promise<number[]> {
  const { rows } = await db.pool.query<{ gap: number }>(
    `SELECT gap FROM (SELECT extract(epoch FROM created_at - lag(released_at) OVER (PARTITION BY gpu_id ORDER BY created_at))::float8 AS gap
                        FROM allocations) AS held WHERE gap IS NOT NULL`,
  )
  return rows.map(({ gap }) => gap)
}

describe('the end of a job', () => {
  it('starts the next candidate on the freed GPU in the same transaction', async () => {
    const { end } = await busyNode()
    const [first, second] = [await makeJob(), await makeJob()]
    await publishLongLived([first, second])
    await end()
    expect(await jobState(first)).toMatchObject({ status: 'scheduled', reason: null, attempt: 1 })
    expect(await jobState(second)).toMatchObject({ status: 'pending', attempt: 0 })
    expect(await gaps()).toEqual([0])
    expect(await readBooks()).toEqual({ gpus: 1000, allocations: 1000 })
  })

  it('skips candidates that no longer wait or that back off', async () => {
    const { end } = await busyNode()
    const [cancelled, resting, next] = [await makeJob(), await makeJob(), await makeJob()]
    await publishLongLived([cancelled, resting, next])
    await db.pool.query(
      `UPDATE jobs SET status = 'cancelled', reason = 'cancelled_by_user', ended_at = now() WHERE id = $1`,
      [cancelled],
    )
    await db.pool.query(`UPDATE jobs SET not_before = now() + interval '1 hour' WHERE id = $1`, [resting])
    await end()
    expect((await jobState(next)).status).toBe('scheduled')
    expect((await jobState(cancelled)).status).toBe('cancelled')
    expect((await jobState(resting)).status).toBe('pending')
  })

  it('lets no job pass a candidate that does not fit; the leader decides', async () => {
    const { end } = await busyNode(2)
    const [large, small] = [await makeJob({ spec: { gpu_count: 2 } }), await makeJob()]
    await publishLongLived([large, small])
    await end()
    expect((await jobState(large)).status).toBe('pending')
    expect((await jobState(small)).status).toBe('pending')
    expect(await readBooks()).toEqual({ gpus: 1000, allocations: 1000 })
  })

  it('lets jobs pass candidates that cannot use the node at all, if backfill is on', async () => {
    const { end } = await busyNode(2)
    const [model, reserved, small] = [
      await makeJob({ spec: { gpu_model: 'H100' } }),
      await makeJob({ spec: { pool: 'reserved' } }),
      await makeJob(),
    ]
    await publishLongLived([model, reserved, small])
    await db.pool.query('UPDATE policies SET backfill = false')
    await end()
    expect((await jobState(small)).status).toBe('pending')
    await db.pool.query('UPDATE policies SET backfill = true')
    await end()
    expect((await jobState(small)).status).toBe('scheduled')
    for (const id of [model, reserved]) expect((await jobState(id)).status).toBe('pending')
  })

  it.each([
    ['the orchestrator is stopped', 'UPDATE policies SET running = false'],
    ['the node is draining', `UPDATE nodes SET status = 'draining'`],
    ['the GPU is paused', 'UPDATE gpus SET paused_at = now()'],
    [
      'no leader has confirmed the candidates',
      `UPDATE next_in_line SET planned_at = now() - interval '6 seconds'`,
    ],
  ])('starts nothing if %s', async (_, change) => {
    const { end } = await busyNode()
    const next = await makeJob()
    await publishLongLived([next])
    await db.pool.query(change)
    await end()
    expect((await jobState(next)).status).toBe('pending')
  })

  it('starts nothing and does not wait if another transaction has locked the next job', async () => {
    const { end } = await busyNode()
    const [held, other] = [await makeJob(), await makeJob()]
    await publishLongLived([held, other])
    const complaint = vi.spyOn(logger, 'error')
    const holder = await db.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE', [held])
      await end()
      // A lock timeout would be logged here.
      expect(complaint).not.toHaveBeenCalled()
    } finally {
      await holder.query('ROLLBACK')
      holder.release()
      complaint.mockRestore()
    }
    expect((await jobState(held)).status).toBe('pending')
    expect((await jobState(other)).status).toBe('pending')
  })

  it.each([
    ['is held', 'UPDATE jobs SET held = true'],
    ['is in another attempt', 'UPDATE jobs SET attempt = 1'],
    ['has ended', `UPDATE jobs SET status = 'cancelled', reason = 'cancelled_by_user', ended_at = now()`],
  ])('places nothing on a node for a job that %s by now', async (_, change) => {
    const { nodeId } = await makeNode()
    const [{ id: gpu } = { id: '' }] = (await db.pool.query<{ id: string }>('SELECT id FROM gpus')).rows
    const [jobId, other] = [await makeJob(), await makeJob()]
    await db.pool.query(`${change} WHERE id = $1`, [jobId])
    const task = { rank: 0, nodeId, gpus: [{ id: gpu, milli: 1000 }], cpuMilli: 1000, memoryMib: 500 }
    const start = (id: string) => transaction((tx) => startJob(tx, { jobId: id, attempt: 1 }, task))
    await start(jobId)
    expect((await db.pool.query('SELECT 1 FROM tasks')).rowCount).toBe(0)
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
    await start(other)
    expect(await readBooks()).toEqual({ gpus: 1000, allocations: 1000 })
  })

  it('is stored even if the next job cannot start', async () => {
    const { end } = await busyNode()
    const broken = await makeJob({ spec: { gpu_count: 'many' } })
    await publishLongLived([broken])
    await end()
    expect((await jobState(broken)).status).toBe('pending')
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })

  it('does not start the ended job again', async () => {
    const lease = await makeNode()
    const job = await makeJob()
    await placeManually(lease.nodeId, job)
    await publishLongLived([job])
    const [task] = await unfinishedTasks(lease)
    if (!task) throw new Error('No task is running.')
    await finishTask(lease, task, { reason: 'preempted', detail: null, exitCode: 143 })
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'preempted', attempt: 1 })
  })
})

it('starts each job once, in order and on its own GPU, if many jobs end at once', async () => {
  const nodes = await Promise.all(Array.from({ length: 4 }, () => busyNode(2)))
  const line: string[] = []
  while (line.length < 6) line.push(await makeJob())
  await publishLongLived(line)
  await Promise.all(nodes.flatMap(({ end }) => [end(), end()]))
  const { rows } = await db.pool.query<{ id: string }>(
    'SELECT job_id AS id FROM tasks WHERE job_id = ANY ($1::uuid[]) ORDER BY created_at, id',
    [line],
  )
  expect(rows.map(({ id }) => id)).toEqual(line)
  expect(await readBooks()).toEqual({ gpus: 6000, allocations: 6000 })
})
