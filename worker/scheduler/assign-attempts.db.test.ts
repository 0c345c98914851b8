import { beforeEach, describe, expect, it } from 'vitest'
import { loseExpiredNodes } from '@/lib/cluster/nodes/lost-nodes'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { finishTask } from '@/lib/cluster/tasks/finish-task'
import { type ClaimedTask, claimTasks, markRunning } from '@/lib/cluster/tasks/tasks'
import { placeByHand } from '@/lib/cluster/testing/placed'
import { jobState, makeJob, makeNode, readBooks } from '@/lib/cluster/testing/rows'
import type { EndReason } from '@/lib/contract/reasons'
import { testDatabase } from '@/lib/database/testing/test-database'
import { readJobDetail } from '@/lib/jobs/read/read'
import { placeWaiting } from './loop'

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
  // To the next hundred: a little of it has passed.
  return { failed: rows[0]?.failed ?? -1, waitS: Math.ceil((rows[0]?.wait ?? -1) / 100) * 100 }
}

/** Surely over: the column keeps milliseconds, and may round up. */
const wakeUp = () =>
  db.pool.query(`UPDATE jobs SET not_before = now() - interval '1 second' WHERE not_before IS NOT NULL`)

describe('a job that no node could ever take', () => {
  it('is tried as often as it says, each time after twice as long, and then fails and says why', async () => {
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
    expect(reason_text).toContain('No node could take the job, as often as it was tried.')
    expect(reason_text).toContain('It asks for 4 GPUs')
    expect(reason_text).toContain('That was attempt 3 of 3')
    await placeWaiting()
    expect((await attempts(job)).failed).toBe(3)
  })

  it('is not tried while it rests, nor twice at once by leaders that do not know of each other', async () => {
    await makeNode()
    const job = await makeJob({ spec: { gpu_count: 4, ...limited } })
    await Promise.all(Array.from({ length: 5 }, () => placeWaiting()))
    await placeWaiting()
    expect((await attempts(job)).failed).toBe(1)
    expect((await readJobDetail(job)).reason_text).toContain('That was attempt 1 of 3')
  })

  it('is placed when a node comes that can take it', async () => {
    await makeNode()
    const job = await makeJob({ spec: { gpu_count: 4, ...limited } })
    await placeWaiting()
    await makeNode({ gpus: 4 })
    await wakeUp()
    await placeWaiting()
    expect(await jobState(job)).toMatchObject({ status: 'scheduled', attempt: 1 })
  })

  it('waits for ever where it does not say how often it may be tried', async () => {
    await makeNode()
    const job = await makeJob({ spec: { gpu_count: 4 } })
    for (let pass = 0; pass < 3; pass++) await placeWaiting()
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'never_fits' })
    expect(await attempts(job)).toEqual({ failed: 0, waitS: 0 })
  })
})

it('a cluster that is busy, closed or empty is no failed attempt', async () => {
  const job = await makeJob({ spec: { gpu_count: 1, max_assign_attempts: 1 } })
  await placeWaiting()
  expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'no_node' })
  const lease = await makeNode()
  await db.pool.query('UPDATE nodes SET paused_at = now()')
  await placeWaiting()
  expect((await jobState(job)).status).toBe('pending')
  await db.pool.query('UPDATE nodes SET paused_at = NULL')
  await placeByHand(lease.nodeId, await makeJob())
  await placeWaiting()
  expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'no_free_gpu' })
  expect((await attempts(job)).failed).toBe(0)
})

describe('a job that is placed and does not start', () => {
  async function place(lease: Lease): Promise<ClaimedTask> {
    await wakeUp()
    await placeWaiting()
    const [task] = await claimTasks(lease)
    if (!task) throw new Error('nothing was placed')
    return task
  }
  const end = (lease: Lease, task: ClaimedTask, reason: EndReason) =>
    finishTask(lease, task, { reason, detail: 'A detail.', exitCode: null })

  it('is tried as often as it says, however few its retries are, and then fails and says why', async () => {
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
    expect((await readJobDetail(job)).reason_text).toMatch(/image could not be had.*A detail.*3 of 3/)
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })

  it('loses no retry by it, and begins to count anew once it ran', async () => {
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
    await loseExpiredNodes()
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'backing_off' })
    expect(await attempts(job)).toEqual({ failed: 1, waitS: 500 })
  })

  it('is not tried again where the policy has no retries', async () => {
    const lease = await makeNode()
    await db.pool.query('UPDATE policies SET enable_auto_retry = false')
    const job = await makeJob({ spec: limited })
    await end(lease, await place(lease), 'image_unavailable')
    expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'image_unavailable' })
  })
})
