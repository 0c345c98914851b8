import { beforeEach, describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import type { Outcome } from '../../jobs/lifecycle/attempt-end'
import { logger } from '../../logger'
import type { Lease } from '../nodes/nodes'
import { finishTask } from '../tasks/finish-task'
import { unfinishedTasks } from '../tasks/tasks'
import { announce } from '../testing/announce'
import { placeByHand } from '../testing/placed'
import { jobState, makeJob, makeNode, readBooks } from '../testing/rows'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users, next_in_line CASCADE')
  await db.pool.query('UPDATE policies SET running = true, backfill = true')
})

const finished: Outcome = { reason: 'finished', detail: null, exitCode: 0 }

/** A node that runs one job on each of its GPUs; ends one of them. */
async function busyNode(gpus = 1): Promise<{ lease: Lease; end: (outcome?: Outcome) => Promise<void> }> {
  const lease = await makeNode({ gpus })
  for (let index = 0; index < gpus; index++) {
    await placeByHand(lease.nodeId, await makeJob(), { indices: [index] })
  }
  const running = await unfinishedTasks(lease)
  return {
    lease,
    end: async (outcome = finished) => {
      const task = running.pop()
      if (!task) throw new Error('nothing runs')
      await finishTask(lease, task, outcome)
    },
  }
}

/** Of every allocation that followed another on a GPU: the ms between them. */
async function gaps(): Promise<number[]> {
  const { rows } = await db.pool.query<{ gap: number }>(
    `SELECT gap FROM (SELECT extract(epoch FROM created_at - lag(released_at) OVER (PARTITION BY gpu_id ORDER BY created_at))::float8 AS gap
                        FROM allocations) AS held WHERE gap IS NOT NULL`,
  )
  return rows.map(({ gap }) => gap)
}

describe('the end of a job', () => {
  it('starts the next in line on what it gave back, in the same transaction', async () => {
    const { end } = await busyNode()
    const [first, second] = [await makeJob(), await makeJob()]
    await announce([first, second])
    await end()
    expect(await jobState(first)).toMatchObject({ status: 'scheduled', reason: null, attempt: 1 })
    expect(await jobState(second)).toMatchObject({ status: 'pending', attempt: 0 })
    expect(await gaps()).toEqual([0])
    expect(await readBooks()).toEqual({ gpus: 1000, allocations: 1000 })
  })

  it('passes over who does not wait any more, or rests', async () => {
    const { end } = await busyNode()
    const [cancelled, resting, next] = [await makeJob(), await makeJob(), await makeJob()]
    await announce([cancelled, resting, next])
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

  it('lets nobody pass a job that does not fit: the leader decides about that', async () => {
    const { end } = await busyNode(2)
    const [large, small] = [await makeJob({ spec: { gpu_count: 2 } }), await makeJob()]
    await announce([large, small])
    await end()
    expect((await jobState(large)).status).toBe('pending')
    expect((await jobState(small)).status).toBe('pending')
    expect(await readBooks()).toEqual({ gpus: 1000, allocations: 1000 })
  })

  it('lets others pass jobs that cannot use the node at all, where jobs may pass', async () => {
    const { end } = await busyNode(2)
    const [model, reserved, small] = [
      await makeJob({ spec: { gpu_model: 'H100' } }),
      await makeJob({ spec: { pool: 'reserved' } }),
      await makeJob(),
    ]
    await announce([model, reserved, small])
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
    ['the node takes nothing new', `UPDATE nodes SET status = 'draining'`],
    ['the GPU is paused', 'UPDATE gpus SET paused_at = now()'],
    ['no leader has confirmed the line', `UPDATE next_in_line SET planned_at = now() - interval '6 seconds'`],
  ])('starts nothing where %s', async (_, change) => {
    const { end } = await busyNode()
    const next = await makeJob()
    await announce([next])
    await db.pool.query(change)
    await end()
    expect((await jobState(next)).status).toBe('pending')
  })

  it('starts nothing where somebody else has the next job in hand, and does not wait for them', async () => {
    const { end } = await busyNode()
    const [held, other] = [await makeJob(), await makeJob()]
    await announce([held, other])
    const complaint = vi.spyOn(logger, 'error')
    const holder = await db.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE', [held])
      await end()
      // One who waits is refused the lock in the end, and that is logged.
      expect(complaint).not.toHaveBeenCalled()
    } finally {
      await holder.query('ROLLBACK')
      holder.release()
      complaint.mockRestore()
    }
    expect((await jobState(held)).status).toBe('pending')
    expect((await jobState(other)).status).toBe('pending')
  })

  it('is written whatever is wrong with the next job', async () => {
    const { end } = await busyNode()
    const broken = await makeJob({ spec: { gpu_count: 'many' } })
    await announce([broken])
    await end()
    expect((await jobState(broken)).status).toBe('pending')
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })

  it('does not start itself again', async () => {
    const lease = await makeNode()
    const job = await makeJob()
    await placeByHand(lease.nodeId, job)
    await announce([job])
    const [task] = await unfinishedTasks(lease)
    if (!task) throw new Error('nothing runs')
    await finishTask(lease, task, { reason: 'preempted', detail: null, exitCode: 143 })
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'preempted', attempt: 1 })
  })
})

it('many ends at once start each job once, in their turn, and give no GPU twice', async () => {
  const nodes = await Promise.all(Array.from({ length: 4 }, () => busyNode(2)))
  const line: string[] = []
  while (line.length < 6) line.push(await makeJob())
  await announce(line)
  await Promise.all(nodes.flatMap(({ end }) => [end(), end()]))
  const { rows } = await db.pool.query<{ id: string }>(
    'SELECT job_id AS id FROM tasks WHERE job_id = ANY ($1::uuid[]) ORDER BY created_at, id',
    [line],
  )
  expect(rows.map(({ id }) => id)).toEqual(line)
  expect(await readBooks()).toEqual({ gpus: 6000, allocations: 6000 })
})
