import { beforeEach, describe, expect, it } from 'vitest'
import type { Lease } from '../../cluster/nodes/nodes'
import { finishTask } from '../../cluster/tasks/finish-task'
import { unfinishedTasks } from '../../cluster/tasks/tasks'
import { placeManually } from '../../cluster/testing/placed'
import { jobState, makeJob, makeNode } from '../../cluster/testing/rows'
import { tasksToStop } from '../../cluster/testing/tasks-to-stop'
import type { EndReason } from '../../contract/reasons'
import { testDatabase } from '../../database/testing/test-database'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
  await db.pool.query('UPDATE policies SET enable_auto_retry = true')
})

/** Ends one attempt of the job. Returns the job's state. */
async function end(lease: Lease, job: string, reason: EndReason, exitCode: number | null = null) {
  const taskId = await placeManually(lease.nodeId, job)
  const task = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
  if (!task) throw new Error('The task does not exist.')
  await finishTask(lease, task, { reason, detail: null, exitCode })
  return jobState(job)
}

async function waits(job: string): Promise<boolean> {
  const { rowCount } = await db.pool.query('SELECT 1 FROM jobs WHERE id = $1 AND not_before IS NOT NULL', [
    job,
  ])
  return rowCount === 1
}

it('never stores an end before the start, although the clock of the database can step back', async () => {
  const lease = await makeNode()
  const job = await makeJob()
  const taskId = await placeManually(lease.nodeId, job)
  const [task] = await unfinishedTasks(lease)
  if (task?.id !== taskId) throw new Error('The task is missing.')
  await db.pool.query("UPDATE jobs SET status = 'running', started_at = now() + interval '1 minute'")
  await db.pool.query("UPDATE allocations SET created_at = now() + interval '1 minute'")
  await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
  const { rows } = await db.pool.query(
    `SELECT j.ended_at - j.started_at = interval '0' AS run, a.released_at - a.created_at = interval '0' AS held
       FROM jobs j JOIN tasks t ON t.job_id = j.id JOIN allocations a ON a.task_id = t.id`,
  )
  expect(rows).toEqual([{ run: true, held: true }])
})

describe('a preempted job', () => {
  it('is requeued immediately each time, and loses no try', async () => {
    const lease = await makeNode()
    const job = await makeJob({ maxRetries: 1 })
    for (const attempt of [1, 2, 3]) {
      const state = await end(lease, job, 'preempted')
      expect(state).toMatchObject({ status: 'pending', reason: 'preempted', attempt })
      expect(await waits(job)).toBe(false)
    }
    expect(await end(lease, job, 'internal_error')).toMatchObject({
      status: 'pending',
      reason: 'backing_off',
    })
    expect(await waits(job)).toBe(true)
    expect(await end(lease, job, 'internal_error')).toMatchObject({ status: 'failed', attempt: 5 })
  })

  it('is stopped on its node with its reason; a cancel comes first', async () => {
    const lease = await makeNode({ gpus: 2 })
    const [one, two] = [await makeJob(), await makeJob()]
    const tasks = [
      await placeManually(lease.nodeId, one, { indices: [0] }),
      await placeManually(lease.nodeId, two, { indices: [1] }),
    ]
    expect(await tasksToStop(lease)).toEqual([])
    await db.pool.query('UPDATE tasks SET preempted_at = now()')
    await db.pool.query(
      `UPDATE jobs SET cancel_requested_at = now(), cancel_reason = 'cancelled_by_user' WHERE id = $1`,
      [two],
    )
    const reasons = new Map((await tasksToStop(lease)).map(({ id, reason }) => [id, reason]))
    expect(tasks.map((id) => reasons.get(id))).toEqual(['preempted', 'cancelled_by_user'])
  })

  it('is cancelled if that is requested while it stops', async () => {
    const lease = await makeNode()
    const job = await makeJob()
    await db.pool.query(
      `UPDATE jobs SET cancel_requested_at = now(), cancel_reason = 'cancelled_by_admin' WHERE id = $1`,
      [job],
    )
    expect(await end(lease, job, 'preempted')).toMatchObject({
      status: 'cancelled',
      reason: 'cancelled_by_admin',
    })
  })
})

describe('without automatic retries', () => {
  it('a system fault is final, but a stopped or preempted job is requeued', async () => {
    const lease = await makeNode()
    await db.pool.query('UPDATE policies SET enable_auto_retry = false')
    const job = await makeJob()
    expect(await end(lease, job, 'worker_stopped')).toMatchObject({ status: 'pending' })
    expect(await end(lease, job, 'preempted')).toMatchObject({ status: 'pending' })
    expect(await end(lease, job, 'image_unavailable')).toMatchObject({
      status: 'failed',
      reason: 'image_unavailable',
    })
  })
})

describe('retry_on', () => {
  it('a failure of the program that it names is tried again while retries are left, and says why', async () => {
    const lease = await makeNode()
    const job = await makeJob({ spec: { retry_on: ['75', 'out_of_memory'] }, maxRetries: 2 })
    expect(await end(lease, job, 'exit_code', 75)).toMatchObject({ status: 'pending', reason: 'backing_off' })
    const { rows } = await db.pool.query('SELECT reason_detail FROM jobs WHERE id = $1', [job])
    expect(rows[0].reason_detail).toMatch(/error.*tried again, because retry_on names this/)
    expect(await end(lease, job, 'out_of_memory', 137)).toMatchObject({ status: 'pending' })
    expect(await end(lease, job, 'exit_code', 75)).toMatchObject({ status: 'failed', reason: 'exit_code' })
  })

  it('other exit codes, and a program that gpuq stopped with this exit code, are final', async () => {
    const lease = await makeNode()
    const make = () => makeJob({ spec: { retry_on: ['137'] }, maxRetries: 2 })
    expect(await end(lease, await make(), 'exit_code', 1)).toMatchObject({ status: 'failed' })
    expect(await end(lease, await make(), 'timeout', 137)).toMatchObject({ status: 'failed' })
    expect(await end(lease, await make(), 'out_of_memory', 137)).toMatchObject({ status: 'pending' })
  })

  it('a job that is cancelled meanwhile is not tried again', async () => {
    const lease = await makeNode()
    const job = await makeJob({ spec: { retry_on: ['75'] } })
    const taskId = await placeManually(lease.nodeId, job)
    await db.pool.query(
      "UPDATE jobs SET cancel_requested_at = now(), cancel_reason = 'cancelled_by_user' WHERE id = $1",
      [job],
    )
    const task = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
    if (!task) throw new Error('The task does not exist.')
    await finishTask(lease, task, { reason: 'exit_code', detail: null, exitCode: 75 })
    expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'exit_code' })
  })
})
