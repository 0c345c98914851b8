import { beforeEach, expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { placeManually } from '../testing/placed'
import { makeJob, makeNode } from '../testing/rows'
import { recordTaskUsage } from './task-progress'

const db = testDatabase()
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})

async function runningTask() {
  const lease = await makeNode({ name: 'box' })
  const taskId = await placeManually(lease.nodeId, await makeJob())
  await db.pool.query("UPDATE tasks SET started_at = now() - interval '10 seconds'")
  return { lease, taskId }
}

async function stored() {
  const { rows } = await db.pool.query(
    'SELECT cpu_seconds AS cpu, sampled_seconds AS seconds, memory_peak_mib AS peak FROM tasks',
  )
  return rows[0]
}

const nothing = { cpu: null, seconds: null, peak: null }

it('is the latest CPU time with its timestamp, and the maximum memory', async () => {
  const { lease, taskId } = await runningTask()
  await recordTaskUsage(lease, taskId, { cpuSeconds: 4, memoryPeakMib: 300 })
  await recordTaskUsage(lease, taskId, { cpuSeconds: 5.5, memoryPeakMib: 200 })
  const { cpu, seconds, peak } = await stored()
  expect({ cpu, peak }).toEqual({ cpu: 5.5, peak: 300 })
  expect(seconds).toBeGreaterThanOrEqual(10)
})

it('has no negative timestamp after the clock of the database stepped back', async () => {
  const { lease, taskId } = await runningTask()
  await db.pool.query("UPDATE tasks SET started_at = now() + interval '10 seconds'")
  await recordTaskUsage(lease, taskId, { cpuSeconds: 4, memoryPeakMib: 300 })
  expect(await stored()).toEqual({ cpu: 4, seconds: 0, peak: 300 })
})

it('is not stored for a fenced-off worker, or after the task has ended', async () => {
  const { lease, taskId } = await runningTask()
  const usage = { cpuSeconds: 4, memoryPeakMib: 300 }
  const fresh = await makeNode({ name: 'box' })
  await recordTaskUsage(lease, taskId, usage)
  expect(await stored()).toEqual(nothing)
  await db.pool.query("UPDATE nodes SET lease_expires_at = now() - interval '1 second'")
  await recordTaskUsage(fresh, taskId, usage)
  expect(await stored()).toEqual(nothing)
  await db.pool.query(
    "UPDATE nodes SET lease_expires_at = now() + interval '1 minute'; UPDATE tasks SET status = 'completed'",
  )
  await recordTaskUsage(fresh, taskId, usage)
  expect(await stored()).toEqual(nothing)
})
