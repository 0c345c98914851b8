import { beforeEach, expect, it } from 'vitest'
import { placeManually } from '@/lib/cluster/testing/placed'
import { makeJob, makeNode } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { UsageCurveRecorder } from './watch-usage'

const db = testDatabase()
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})

async function runningTask() {
  const lease = await makeNode({ name: 'box' })
  const taskId = await placeManually(lease.nodeId, await makeJob())
  return { lease, taskId }
}

/** The task has run for so long. */
const setAge = (seconds: number) =>
  db.pool.query(`UPDATE tasks SET started_at = now() - $1 * interval '1 second'`, [seconds])

/** Intervals of an hour, so that a slow test still samples in the expected one. */
const useHours = (taskId: string) =>
  db.pool.query(
    `INSERT INTO task_usage (task_id, interval_s, cpu_cores, memory_mib) VALUES ($1, 3600, '{}', '{}')`,
    [taskId],
  )

async function stored() {
  const { rows } = await db.pool.query<{
    interval: number
    cpu: (number | null)[]
    memory: (number | null)[]
  }>('SELECT interval_s AS interval, cpu_cores AS cpu, memory_mib AS memory FROM task_usage')
  return rows[0]
}

const usage = (cpuSeconds: number, memoryMib: number) => ({ cpuSeconds, memoryMib, memoryPeakMib: memoryMib })

it('records the mean of the used cores between two samples, and the memory', async () => {
  const { lease, taskId } = await runningTask()
  await useHours(taskId)
  const recorder = await UsageCurveRecorder.open(lease, taskId)
  for (const [age, cpu, memory] of [
    [1800, 900, 100],
    [5400, 4500, 300],
    [12600, 4500, 200],
  ] as const) {
    await setAge(age)
    await recorder.record(usage(cpu, memory))
  }
  const curve = await stored()
  expect(curve).toMatchObject({ interval: 3600, memory: [100, 300, null, 200] })
  expect(curve?.cpu.map((value) => value && Math.round(value * 10) / 10)).toEqual([0.5, 1, null, 0])
})

it('continues the curve of an earlier worker, whatever the container used meanwhile', async () => {
  const { lease, taskId } = await runningTask()
  await useHours(taskId)
  await setAge(1800)
  await (await UsageCurveRecorder.open(lease, taskId)).record(usage(1800, 100))
  await setAge(5 * 3600)
  await (await UsageCurveRecorder.open(lease, taskId)).record(usage(1800 + 8100, 200))
  const curve = await stored()
  expect(curve?.memory).toEqual([100, null, null, null, null, 200])
  expect(curve?.cpu[5]).toBeCloseTo(0.5, 1)
})

it('has a bounded number of values after a month, evenly spread', async () => {
  const { lease, taskId } = await runningTask()
  const recorder = await UsageCurveRecorder.open(lease, taskId)
  const month = 30 * 24 * 3600
  for (let age = 0; age < month; age += month / 400) {
    await setAge(age)
    await recorder.record(usage(age, 100))
  }
  const curve = await stored()
  expect(curve?.memory.length).toBeGreaterThanOrEqual(180)
  expect(curve?.memory.length).toBeLessThanOrEqual(360)
  expect(curve?.interval).toBe(10 * 2 ** 10)
  expect(curve?.memory).not.toContain(null)
})

it('is not stored by a worker that lost its lease', async () => {
  const { lease, taskId } = await runningTask()
  await setAge(1)
  const recorder = await UsageCurveRecorder.open({ ...lease, leaseId: lease.nodeId }, taskId)
  await recorder.record(usage(1, 100))
  expect(await stored()).toBeUndefined()
})
