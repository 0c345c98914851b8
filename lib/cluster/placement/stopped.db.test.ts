import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Actor } from '../../access/actor'
import { makePerson } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import { plan } from '../../scheduling/plan'
import { setOrchestratorRunning } from '../admin/policy'
import type { Lease } from '../nodes/nodes'
import { finishTask } from '../tasks/finish-task'
import { unfinishedTasks } from '../tasks/tasks'
import { placeManually } from '../testing/placed'
import { publishLongLived } from '../testing/publish-long-lived'
import { makeJob, makeNode } from '../testing/rows'
import { commitPlacement } from './place'
import { takeSnapshot } from './snapshot'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
const rounds = 10
let admin: Actor

beforeAll(async () => {
  admin = (await makePerson('admin')).actor
})

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes CASCADE')
  await setOrchestratorRunning(admin, true)
})

async function waiting(): Promise<number> {
  const { rowCount } = await db.pool.query(`SELECT 1 FROM jobs WHERE status = 'pending'`)
  return rowCount ?? 0
}

/** Stops the orchestrator during several starts, and expects no start after the stop was answered. */
async function stopDuring(starts: readonly (() => Promise<unknown>)[]): Promise<void> {
  const stop = async () => {
    await setOrchestratorRunning(admin, false)
    return waiting()
  }
  const begun = starts.map((start) => start())
  const left = await stop()
  await Promise.all(begun)
  expect(await waiting()).toBe(left)
}

it('after a stop was answered, no earlier plan is committed', async () => {
  for (let count = 0; count < 8; count++) await makeNode()
  for (let round = 0; round < rounds; round++) {
    for (let count = 0; count < 8; count++) await makeJob()
    const { placements } = plan((await takeSnapshot()).snapshot)
    expect(placements).toHaveLength(8)
    await stopDuring(placements.map((placement) => () => commitPlacement(placement)))
    await setOrchestratorRunning(admin, true)
    await db.pool.query('TRUNCATE jobs CASCADE')
    await db.pool.query('UPDATE gpus SET allocated_milli = 0')
  }
})

async function endOne(lease: Lease): Promise<void> {
  const [task] = await unfinishedTasks(lease)
  if (!task) throw new Error('No task is running.')
  await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
}

it('after a stop, no job follows one that ends', async () => {
  for (let round = 0; round < rounds; round++) {
    await db.pool.query('TRUNCATE jobs, nodes CASCADE')
    await setOrchestratorRunning(admin, true)
    const leases = await Promise.all(Array.from({ length: 8 }, () => makeNode()))
    for (const { nodeId } of leases) await placeManually(nodeId, await makeJob())
    const line: string[] = []
    while (line.length < 8) line.push(await makeJob())
    await publishLongLived(line)
    await stopDuring(leases.map((lease) => () => endOne(lease)))
  }
})
