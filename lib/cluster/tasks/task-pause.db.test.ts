import { beforeEach, expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { stopIdleJobs } from '../../jobs/lifecycle/stop-idle'
import type { Lease } from '../nodes/nodes'
import { placeManually } from '../testing/placed'
import { makeJob, makeNode } from '../testing/rows'
import { readTaskOrders } from './task-orders'
import { recordPause, recordResume } from './task-pause'
import { recordTaskGpuUsage } from './task-progress'
import { type ClaimedTask, Fenced, markRunning, unfinishedTasks } from './tasks'

const db = testDatabase()

let lease: Lease
let task: ClaimedTask
let jobId = ''
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users, slurm_jobs CASCADE')
  lease = await makeNode()
  jobId = await makeJob()
  await placeManually(lease.nodeId, jobId, { indices: [0] })
  const [claimed] = await unfinishedTasks(lease)
  if (!claimed) throw new Error('no task')
  task = claimed
  await markRunning(lease, task, null)
  await db.pool.query(
    `INSERT INTO slurm_jobs (id, job_id, secret_hash, slurm_id, state, attempt, attempt_restart)
     VALUES (gen_random_uuid(), $1, '\\x00', 7, 'RUNNING', 1, 0)`,
    [jobId],
  )
})

const job = async () =>
  (await db.pool.query('SELECT status, reason FROM jobs WHERE id = $1', [jobId])).rows[0]
const ran = async () => (await unfinishedTasks(lease))[0]?.ranSeconds ?? -1
const shift = (set: string) => db.pool.query(`UPDATE tasks SET ${set} WHERE id = $1`, [task.id])

it('orders a pause while Slurm says that the job is suspended', async () => {
  const orders = () => readTaskOrders(lease)
  expect(await orders()).toEqual([{ id: task.id, reason: null, suspended: false }])
  await db.pool.query(`UPDATE slurm_jobs SET state = 'SUSPENDED'`)
  expect(await orders()).toEqual([{ id: task.id, reason: null, suspended: true }])
  await db.pool.query(`UPDATE jobs SET cancel_requested_at = now(), cancel_reason = 'cancelled_by_user'`)
  expect(await orders()).toEqual([{ id: task.id, reason: 'cancelled_by_user', suspended: true }])
})

it('gives the job the reason during a pause, and measures the run without pauses', async () => {
  await shift(`started_at = now() - interval '1000 seconds'`)
  expect(await ran()).toBeGreaterThanOrEqual(1000)
  await recordPause(lease, task)
  expect(await job()).toEqual({ status: 'running', reason: 'slurm_suspended' })
  await shift(`paused_at = now() - interval '900 seconds'`)
  await recordPause(lease, task)
  const paused = await ran()
  expect(paused).toBeGreaterThanOrEqual(100)
  expect(paused).toBeLessThan(500)
  expect((await unfinishedTasks(lease))[0]?.wasPaused).toBe(true)
  await recordResume(lease, task)
  await recordResume(lease, task)
  expect(await job()).toEqual({ status: 'running', reason: null })
  expect(await ran()).toBeLessThan(500)
  expect((await unfinishedTasks(lease))[0]?.wasPaused).toBe(false)
})

it('refuses a pause by a worker that lost the task', async () => {
  await db.pool.query(`UPDATE nodes SET lease_expires_at = now() - interval '1 second'`)
  await expect(recordPause(lease, task)).rejects.toThrow(Fenced)
  await expect(recordResume(lease, task)).rejects.toThrow(Fenced)
  expect(await job()).toEqual({ status: 'running', reason: null })
})

it('does not count a paused GPU as idle', async () => {
  await db.pool.query('UPDATE policies SET idle_gpu_minutes = 10')
  const sample = () => recordTaskGpuUsage(lease, task.id, { load: 0, busiest: 0, memoryMib: 1 })
  const cancelled = async () =>
    (await db.pool.query('SELECT cancel_reason AS reason FROM jobs WHERE id = $1', [jobId])).rows[0].reason
  await sample()
  await shift(`gpu_idle_since = now() - interval '9 minutes'`)
  await recordPause(lease, task)
  await shift(`gpu_idle_since = gpu_idle_since - interval '5 minutes'`)
  await sample()
  await stopIdleJobs()
  expect(await cancelled()).toBeNull()
  await recordResume(lease, task)
  await sample()
  await shift(`gpu_idle_since = gpu_idle_since - interval '11 minutes'`)
  await stopIdleJobs()
  expect(await cancelled()).toBe('idle_gpu')
})
