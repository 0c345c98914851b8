import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { plan } from '../../scheduling/plan'
import { commitPlacement } from '../placement/place'
import { takeSnapshot } from '../placement/snapshot'
import { finishTask, releaseTasks, tasksHoldingGpus } from '../tasks/finish-task'
import { appendOutput } from '../tasks/task-progress'
import { type ClaimedTask, claimTasks, Fenced, recordStopReason, unfinishedTasks } from '../tasks/tasks'
import { jobState, makeJob, makeNode, readBooks } from '../testing/rows'
import { markExpiredNodesLost } from './lost-nodes'
import { drainNode, type Lease, LeaseLost, offerNode, registerNode, renewLease } from './nodes'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})

async function placeAll(): Promise<void> {
  const { snapshot } = await takeSnapshot()
  for (const placement of plan(snapshot).placements) await commitPlacement(placement)
}

/** Claims a new job on the node. */
async function claimOne(lease: Lease): Promise<ClaimedTask> {
  await makeJob()
  await placeAll()
  const [task] = await claimTasks(lease)
  if (!task) throw new Error('There is no task to claim.')
  return task
}

const expire = () => db.pool.query(`UPDATE nodes SET lease_expires_at = now() - interval '1 second'`)

describe('a worker whose node another worker has taken', () => {
  it('cannot write output for the other worker, and vice versa', async () => {
    const lease = await makeNode()
    const task = await claimOne(lease)
    const batch = (start: number, text: string) => ({
      start,
      records: Buffer.from(text),
      stdoutConsumed: start + text.length,
      stderrConsumed: 0,
    })
    await appendOutput(lease, task, batch(0, 'one\n'))
    await expect(appendOutput(lease, task, batch(0, 'one\ntwo\n'))).rejects.toThrow(Fenced)
    await expect(appendOutput(lease, task, batch(8, 'three\n'))).rejects.toThrow(Fenced)
    await appendOutput(lease, task, batch(4, 'two\n'))
    const { rows } = await db.pool.query<{ records: Buffer }>('SELECT records FROM log_chunks ORDER BY start')
    expect(Buffer.concat(rows.map(({ records }) => records)).toString()).toBe('one\ntwo\n')
  })

  it('gets an error instead of an empty task list, which would make it remove the other worker’s containers', async () => {
    const old = await makeNode({ name: 'box' })
    expect(await unfinishedTasks(old)).toEqual([])
    const fresh = await makeNode({ name: 'box' })
    await expect(unfinishedTasks(old)).rejects.toThrow(LeaseLost)
    await expire()
    await expect(unfinishedTasks(fresh)).rejects.toThrow(LeaseLost)
  })

  it('leaves its containers to a worker on the same engine only', async () => {
    const here = await makeNode({ name: 'box', engineId: 'here' })
    await makeNode({ name: 'box', engineId: 'here' })
    expect(await renewLease(here)).toBe('taken')
    await expire()
    await makeNode({ name: 'box', engineId: 'there' })
    expect(await renewLease(here)).toBe('expired')
  })
})

describe('a node', () => {
  it('gets no tasks before its worker offers it, or after its worker drains it', async () => {
    const registration = {
      name: 'n',
      engineId: 'e',
      engineVersion: '1',
      warnings: [],
      cpuMilli: 1000,
      memoryMib: 1000,
    }
    const gpus = [{ index: 0, uuid: 'u', model: 'm', memoryMib: 1, simulated: true }]
    const lease = await registerNode({ ...registration, gpus })
    const job = await makeJob()
    await placeAll()
    expect((await jobState(job)).status).toBe('pending')
    await drainNode(lease, 'first')
    await drainNode(lease, 'second')
    const { rows } = await db.pool.query('SELECT status, warnings FROM nodes')
    expect(rows).toEqual([{ status: 'draining', warnings: ['first', 'second'] }])
    await offerNode(lease)
    await placeAll()
    expect((await jobState(job)).status).toBe('scheduled')
  })

  it('keeps GPUs allocated for a container that could not be killed, even after the node was lost', async () => {
    const lease = await makeNode({ name: 'box', gpus: 2 })
    const killFailed = await claimOne(lease)
    await claimOne(lease)
    const cancelled = { reason: 'cancelled_by_user', detail: null, exitCode: null } as const
    await finishTask(lease, killFailed, cancelled, true)
    await expire()
    await markExpiredNodesLost()
    expect(await readBooks()).toEqual({ gpus: 1000, allocations: 1000 })

    const back = await makeNode({ name: 'box', gpus: 2 })
    expect(await tasksHoldingGpus(back)).toEqual([killFailed.id])
    await expect(releaseTasks(lease, [killFailed.id])).rejects.toThrow(LeaseLost)
    await releaseTasks(back, [killFailed.id])
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })
})

describe('the stop reason of a task', () => {
  it('is available to a worker that adopts the task: the first reason, or the cancellation', async () => {
    const lease = await makeNode({ gpus: 2 })
    const late = await claimOne(lease)
    const unwanted = await claimOne(lease)
    await recordStopReason(lease, late, 'timeout')
    await recordStopReason(lease, late, 'worker_stopped')
    await db.pool.query(`UPDATE jobs SET cancel_requested_at = now(), cancel_reason = 'cancelled_by_user'`)
    const reasons = new Map((await unfinishedTasks(lease)).map(({ id, stopReason }) => [id, stopReason]))
    expect(reasons).toEqual(
      new Map([
        [late.id, 'timeout'],
        [unwanted.id, 'cancelled_by_user'],
      ]),
    )
  })
})
