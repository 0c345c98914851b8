import { beforeEach, describe, expect, it } from 'vitest'
import { markExpiredNodesLost } from '@/lib/cluster/nodes/lost-nodes'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { finishTask } from '@/lib/cluster/tasks/finish-task'
import { type ClaimedTask, claimTasks, markRunning } from '@/lib/cluster/tasks/tasks'
import { placeManually } from '@/lib/cluster/testing/placed'
import { jobState, makeJob, makeNode, readBooks } from '@/lib/cluster/testing/rows'
import type { EndReason } from '@/lib/contract/reasons'
import { testDatabase } from '@/lib/database/testing/test-database'
import { readJobDetail } from '@/lib/jobs/read/read'
import { placeWaiting } from './builtin'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
  await db.pool.query('UPDATE policies SET enable_auto_retry = true')
})

/** Long enough that no test reaches its end by waiting. */
const limited = { max_assign_attempts: 3, assign_retry_wait: 500 }

async function attempts(job: string): Promise<{ failed: number; waitS: number }> {
  const { rows } = await db.pool.query<{ failed: number; wait: number }>(
    `SELECT assign_attempts AS failed, coalesce(extract(epoch FROM not_before - now()), 0)::float8 AS wait FROM jobs WHERE id = $1`,
    [job],
  )
  // Rounded up to hundreds, because some of it has passed.
  return { failed: rows[0]?.failed ?? -1, waitS: Math.ceil((rows[0]?.wait ?? -1) / 100) * 100 }
}

/** Ends the backoff. The column has a resolution of milliseconds and may round up. */
const wakeUp = () =>
  db.pool.query(`UPDATE jobs SET not_before = now() - interval '1 second' WHERE not_before IS NOT NULL`)

describe('a job that fits on no node', () => {
  it('is retried the configured number of times with doubled intervals, then fails with the reason', async () => {
    await makeNode({ gpus: 1 })
    const job = await makeJob({ spec: { gpu_count: 4, ...limited } })
    await placeWaiting()
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'never_fits' })
    expect(await attempts(job)).toEqual({ failed: 1, waitS: 500 })
    await wakeUp()
    await placeWaiting()
    expect(await attempts(job)).toEqual({ failed: 2, waitS: 1000 })
    await wakeUp()
    await placeWaiting()
    expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'not_assignable', attempt: 0 })
    const { reason_text } = await readJobDetail(job)
    expect(reason_text).toBe(
      'No node accepted the job in the allowed number of attempts. It asks for 4 GPUs, and the largest node has 1. That was attempt 3 of 3 to start the job.',
    )
    await placeWaiting()
    expect((await attempts(job)).failed).toBe(3)
  })

  it('is not retried during its backoff, or twice by concurrent leaders', async () => {
    await makeNode()
    const job = await makeJob({ spec: { gpu_count: 4, ...limited } })
    await Promise.all(Array.from({ length: 5 }, () => placeWaiting()))
    await placeWaiting()
    expect((await attempts(job)).failed).toBe(1)
    expect((await readJobDetail(job)).reason_text).toContain('That was attempt 1 of 3')
  })

  it('is placed when a suitable node appears', async () => {
    await makeNode()
    const job = await makeJob({ spec: { gpu_count: 4, ...limited } })
    await placeWaiting()
    await makeNode({ gpus: 4 })
    await wakeUp()
    await placeWaiting()
    expect(await jobState(job)).toMatchObject({ status: 'scheduled', attempt: 1 })
  })

  it('waits forever without a limit', async () => {
    await makeNode()
    const job = await makeJob({ spec: { gpu_count: 4 } })
    for (let pass = 0; pass < 3; pass++) await placeWaiting()
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'never_fits' })
    expect(await attempts(job)).toEqual({ failed: 0, waitS: 0 })
  })
})

it('does not count a busy, closed or empty cluster as a failed attempt', async () => {
  const job = await makeJob({ spec: { gpu_count: 1, max_assign_attempts: 1 } })
  await placeWaiting()
  expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'no_node' })
  const lease = await makeNode()
  await db.pool.query('UPDATE nodes SET paused_at = now()')
  await placeWaiting()
  expect((await jobState(job)).status).toBe('pending')
  await db.pool.query('UPDATE nodes SET paused_at = NULL')
  await placeManually(lease.nodeId, await makeJob())
  await placeWaiting()
  expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'no_free_gpu' })
  expect((await attempts(job)).failed).toBe(0)
})

describe('a job that is placed and does not start', () => {
  async function place(lease: Lease): Promise<ClaimedTask> {
    await wakeUp()
    await placeWaiting()
    const [task] = await claimTasks(lease)
    if (!task) throw new Error('Nothing was placed.')
    return task
  }
  const end = (lease: Lease, task: ClaimedTask, reason: EndReason) =>
    finishTask(lease, task, { reason, detail: 'A detail.', exitCode: null })

  it('is retried the configured number of times, independent of its retries, then fails with the reason', async () => {
    const lease = await makeNode()
    const job = await makeJob({ spec: limited, maxRetries: 0 })
    await db.pool.query('UPDATE policies SET quarantine_after = 100')
    for (const waitS of [500, 1000]) {
      await end(lease, await place(lease), 'image_unavailable')
      expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'backing_off' })
      expect((await attempts(job)).waitS).toBe(waitS)
    }
    await end(lease, await place(lease), 'image_unavailable')
    expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'not_assignable', attempt: 3 })
    expect((await readJobDetail(job)).reason_text).toMatch(
      /could not get the environment.s image.*A detail.*3 of 3/,
    )
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })

  it('keeps its retries, and counts anew after it has run', async () => {
    const lease = await makeNode()
    const job = await makeJob({ spec: limited, maxRetries: 1 })
    await end(lease, await place(lease), 'internal_error')
    const started = await place(lease)
    await markRunning(lease, started, null)
    await end(lease, started, 'internal_error')
    expect(await jobState(job)).toMatchObject({ status: 'pending', attempt: 2 })
    expect((await attempts(job)).failed).toBe(0)
    const again = await place(lease)
    await markRunning(lease, again, null)
    await end(lease, again, 'internal_error')
    expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'internal_error', attempt: 3 })
  })

  it('counts a node that is lost before the start', async () => {
    const lease = await makeNode()
    const job = await makeJob({ spec: limited })
    await place(lease)
    await db.pool.query(`UPDATE nodes SET lease_expires_at = now() - interval '1 minute'`)
    await markExpiredNodesLost()
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'backing_off' })
    expect(await attempts(job)).toEqual({ failed: 1, waitS: 500 })
  })

  it('is not retried if the policy disables retries', async () => {
    const lease = await makeNode()
    await db.pool.query('UPDATE policies SET enable_auto_retry = false')
    const job = await makeJob({ spec: limited })
    await end(lease, await place(lease), 'image_unavailable')
    expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'image_unavailable' })
  })
})
