import { beforeEach, describe, expect, it, vi } from 'vitest'
import { updateEnvironment } from '../../access/environments'
import { makePerson } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import type { Outcome } from '../../jobs/state/finish'
import { finishTask } from '../tasks/finish-task'
import { type ClaimedTask, markRunning, unfinishedTasks } from '../tasks/tasks'
import { placeManually } from '../testing/placed'
import { makeJob, makeNode } from '../testing/rows'
import { type Lease, registerNode } from './nodes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
  await db.pool.query('UPDATE policies SET quarantine_after = 3')
  await makeJob()
  await db.pool.query('UPDATE environments SET ran_at = now()')
})

const pullFailed: Outcome = {
  reason: 'image_unavailable',
  detail: 'The image "lab/torch:2" is not available.',
  exitCode: null,
}
const worked: Outcome = { reason: 'exit_code', detail: 'Exit code 1.', exitCode: 1 }

/** Starts an attempt of a job on the node. */
async function start(lease: Lease, job?: string): Promise<ClaimedTask> {
  const taskId = await placeManually(lease.nodeId, job ?? (await makeJob({ maxRetries: 10 })))
  const task = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
  if (!task) throw new Error('The task does not exist.')
  return task
}

/** Ends one attempt of a job on the node. */
async function end(lease: Lease, outcome: Outcome, job?: string): Promise<void> {
  await finishTask(lease, await start(lease, job), outcome)
}

async function health(lease: Lease) {
  const { rows } = await db.pool.query<{ failures: number; reason: string | null; closed: boolean }>(
    `SELECT failures_in_row AS failures, quarantine_reason AS reason, quarantined_at IS NOT NULL AS closed
       FROM nodes WHERE id = $1`,
    [lease.nodeId],
  )
  return rows[0]
}

describe('a node with failing jobs', () => {
  it('is quarantined after the configured number of consecutive node failures, with the last failure as reason', async () => {
    const lease = await makeNode()
    await end(lease, pullFailed)
    await end(lease, { reason: 'internal_error', detail: null, exitCode: null })
    expect(await health(lease)).toEqual({ failures: 2, reason: null, closed: false })
    await end(lease, pullFailed)
    expect(await health(lease)).toMatchObject({ failures: 3, closed: true })
    expect((await health(lease))?.reason).toBe(
      'Jobs that failed here in a row because of the node: 3. The last one: The node could not get the environment\'s image. The image "lab/torch:2" is not available.',
    )
  })

  it('stays open if a program ran in between, whatever its result', async () => {
    const lease = await makeNode()
    for (const outcome of [pullFailed, pullFailed, worked, pullFailed, pullFailed]) await end(lease, outcome)
    expect(await health(lease)).toMatchObject({ failures: 2, closed: false })
  })

  it('does not count one job that fails repeatedly, or ends decided elsewhere', async () => {
    const lease = await makeNode()
    const job = await makeJob({ maxRetries: 10 })
    for (let i = 0; i < 4; i++) await end(lease, pullFailed, job)
    expect(await health(lease)).toMatchObject({ failures: 1, closed: false })
    for (const reason of ['preempted', 'worker_stopped', 'engine_restarted', 'cancelled_by_user'] as const)
      await end(lease, { reason, detail: null, exitCode: 143 })
    expect(await health(lease)).toMatchObject({ failures: 1, closed: false })
  })

  it('does not count an image that never ran on any node, until it has run once', async () => {
    await db.pool.query('UPDATE environments SET ran_at = NULL')
    const [lease, other] = [await makeNode(), await makeNode()]
    for (let i = 0; i < 4; i++) await end(lease, pullFailed)
    expect(await health(lease)).toMatchObject({ failures: 0, closed: false })
    await end(lease, { reason: 'internal_error', detail: null, exitCode: null })
    expect(await health(lease), 'other faults count as before').toMatchObject({ failures: 1 })
    await markRunning(other, await start(other), 'sha256:abc')
    for (let i = 0; i < 2; i++) await end(lease, pullFailed)
    expect(await health(lease)).toMatchObject({ failures: 3, closed: true })
  })

  it('does not count an image that an admin has just replaced', async () => {
    const [lease, other] = [await makeNode(), await makeNode()]
    const admin = await makePerson('admin')
    await updateEnvironment(admin.actor, 'python', { description: 'the same image' })
    await end(lease, pullFailed)
    expect(await health(lease)).toMatchObject({ failures: 1 })
    const late = await start(other)
    await updateEnvironment(admin.actor, 'python', { image: 'gpuq/pyhton:1' })
    // A job that already got its container says nothing about the new image.
    await markRunning(other, late, null)
    for (let i = 0; i < 4; i++) await end(lease, pullFailed)
    expect(await health(lease)).toMatchObject({ failures: 1, closed: false })
    await updateEnvironment(admin.actor, 'python', { image: 'gpuq/python:2' })
  })

  it('keeps quarantine, pause and pool when its worker restarts', async () => {
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
