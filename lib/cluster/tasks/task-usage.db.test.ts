import { beforeEach, expect, it } from 'vitest'
import { EvenSeries } from '../../contract/cluster/even-series'
import { testDatabase } from '../../database/testing/test-database'
import { placeManually } from '../testing/placed'
import { makeJob, makeNode } from '../testing/rows'
import { readTaskUsage, recordTaskUsage, storeUsageCurve, type UsagePoint } from './task-usage'

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

it('has a curve, which a fenced-off worker does not change, and which ends with the job', async () => {
  const { lease, taskId } = await runningTask()
  const curveOf = (...cores: number[]) => {
    const curve = new EvenSeries<UsagePoint>(360, 5, (first) => first)
    for (const [at, cpuCores] of cores.entries()) curve.add(10 * at, { cpuCores, memoryMib: 100 * at })
    return curve
  }
  await storeUsageCurve(lease, taskId, curveOf(0.5))
  await storeUsageCurve(lease, taskId, curveOf(0.5, 2))
  const values = [{ cpuCores: 0.5, memoryMib: 0 }, null, { cpuCores: 2, memoryMib: 100 }]
  expect((await readTaskUsage(taskId)).curve).toMatchObject({ intervalS: 5, values })
  await storeUsageCurve({ ...lease, leaseId: lease.nodeId }, taskId, curveOf(9))
  expect((await readTaskUsage(taskId)).curve.values).toEqual(values)
  await db.pool.query('DELETE FROM jobs')
  const { rows } = await db.pool.query('SELECT count(*)::int AS count FROM task_usage')
  expect(rows).toEqual([{ count: 0 }])
})
