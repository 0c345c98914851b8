import { beforeEach, describe, expect, it } from 'vitest'
import type { Lease } from '../../cluster/nodes/nodes'
import { recordTaskGpuUsage } from '../../cluster/tasks/task-progress'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { tasksToStop } from '../../cluster/testing/tasks-to-stop'
import { testDatabase } from '../../database/testing/test-database'
import { readJobDetail } from '../read/read'
import { stopIdleJobs } from './stop-idle'

const db = testDatabase()
let node: Lease

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
  await db.pool.query('UPDATE policies SET idle_gpu_minutes = 60')
  node = await makeNode({ gpus: 8 })
})

/** Places a job on a GPU of the node. */
async function place(gpu = 0): Promise<{ job: string; task: string }> {
  const job = await makeJob()
  return { job, task: await placeManually(node.nodeId, job, { indices: [gpu] }) }
}

/** A sample of the task's GPUs. */
const sample = (task: string, busiest: number | null) =>
  recordTaskGpuUsage(node, task, { load: busiest, busiest, memoryMib: 1024 })

/** Moves everything that is known of the samples of a task into the past. */
const pass = (task: string, minutes: number) =>
  db.pool.query(
    `UPDATE tasks SET gpu_idle_since = gpu_idle_since - make_interval(mins => $2),
            gpu_sampled_at = gpu_sampled_at - make_interval(mins => $2) WHERE id = $1`,
    [task, minutes],
  )

/** Minutes of samples without a load, every minute. */
async function idle(task: string, minutes: number): Promise<void> {
  await sample(task, 0)
  await pass(task, minutes - 1)
  await db.pool.query('UPDATE tasks SET gpu_sampled_at = now() WHERE id = $1', [task])
  await pass(task, 1)
  await sample(task, 0.01)
}

const stops = async () => (await tasksToStop(node)).map(({ id, reason }) => [id, reason])
const warning = async (job: string) => (await readJobDetail(job)).idle_gpu

describe('a job whose GPUs are idle', () => {
  it('is warned after half of the time of the policy, and stopped after all of it', async () => {
    const { job, task } = await place()
    await idle(task, 29)
    expect(await warning(job)).toBeNull()
    await idle(task, 2)
    const shown = await warning(job)
    const minutes = (Date.parse(shown?.stops_at ?? '') - Date.parse(shown?.since ?? '')) / 60_000
    expect(minutes).toBe(60)
    await stopIdleJobs()
    expect(await stops()).toEqual([])
    await pass(task, 30)
    await sample(task, 0)
    expect(await warning(job)).toBeNull()
    await idle(task, 61)
    await stopIdleJobs()
    await stopIdleJobs()
    expect(await stops()).toEqual([[task, 'idle_gpu']])
  })

  it('continues if its GPUs have a load again', async () => {
    const { job, task } = await place()
    await idle(task, 59)
    await sample(task, 0.02)
    expect(await warning(job)).toBeNull()
    await idle(task, 20)
    await stopIdleJobs()
    expect([await warning(job), await stops()]).toEqual([null, []])
  })

  it('is not stopped for a time without samples, or with samples that say no load', async () => {
    const unsampled = await place()
    await idle(unsampled.task, 40)
    await pass(unsampled.task, 30)
    expect(await warning(unsampled.job)).toBeNull()
    await sample(unsampled.task, 0)
    const unknown = await place(1)
    await idle(unknown.task, 61)
    await sample(unknown.task, null)
    const never = await place(2)
    await db.pool.query("UPDATE tasks SET started_at = now() - interval '1 day'")
    await stopIdleJobs()
    expect(await stops()).toEqual([])
    expect(await warning(never.job)).toBeNull()
  })

  it('continues while one of its nodes has a load', async () => {
    const { job, task } = await place()
    const other = await place(1)
    await db.pool.query('UPDATE tasks SET job_id = $1, rank = 1 WHERE id = $2', [job, other.task])
    await idle(task, 90)
    await idle(other.task, 10)
    await stopIdleJobs()
    expect(await stops()).toEqual([])
    await idle(other.task, 61)
    await stopIdleJobs()
    expect((await stops()).map(([, reason]) => reason)).toEqual(['idle_gpu', 'idle_gpu'])
  })

  it('runs on without the policy, and keeps the reason of an earlier cancellation', async () => {
    const { job, task } = await place()
    await idle(task, 500)
    await db.pool.query("UPDATE jobs SET cancel_requested_at = now(), cancel_reason = 'cancelled_by_user'")
    await stopIdleJobs()
    expect(await stops()).toEqual([[task, 'cancelled_by_user']])
    await db.pool.query('UPDATE jobs SET cancel_requested_at = NULL, cancel_reason = NULL')
    await db.pool.query('UPDATE policies SET idle_gpu_minutes = NULL')
    await stopIdleJobs()
    expect([await warning(job), await stops()]).toEqual([null, []])
  })

  it('is notified once to each target that asked for it', async () => {
    const { job, task } = await place()
    await db.pool.query(
      `INSERT INTO notification_targets (id, user_id, kind, name, address, config, events)
       SELECT gen_random_uuid(), user_id, 'webhook', n, n, '', ARRAY[n] FROM jobs, unnest(ARRAY['job.idle', 'job.failed']) n`,
    )
    await idle(task, 40)
    await stopIdleJobs()
    await stopIdleJobs()
    const { rows } = await db.pool.query('SELECT event, job_id, data FROM notification_deliveries')
    expect(rows).toEqual([
      { event: 'job.idle', job_id: job, data: expect.objectContaining({ stops_at: expect.any(String) }) },
    ])
  })
})
