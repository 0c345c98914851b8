import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Lease } from '../../cluster/nodes/nodes'
import { claimTasks } from '../../cluster/tasks/tasks'
import { placeManually } from '../../cluster/testing/placed'
import { jobState, makeJob, makeNode, readBooks } from '../../cluster/testing/rows'
import { tasksToStop } from '../../cluster/testing/tasks-to-stop'
import { testDatabase } from '../../database/testing/test-database'
import { explainUnsubmitted } from '../../jobs/state/explain'
import { checkIn, hashSecret, type StepReport, withdrawStep } from './check-in'
import { endSlurmJob, findEndedRows, readLiveSlurmJobs } from './live-jobs'
import { placeSteps } from './place-steps'
import { findStepless, readEndedTasks } from './step-ends'
import { readStopReason, setStopReason } from './stop-reasons'
import { insertSlurmJob, readUnsubmitted, recordRefusal, recordSlurmId } from './submissions'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users, slurm_jobs, slurm_targets CASCADE')
  await db.pool.query('UPDATE policies SET running = true')
})

const secret = 'a secret'

async function submitted(options: { nodes?: number; spec?: Record<string, unknown> } = {}) {
  const job = await makeJob({ spec: options.spec ?? {} })
  const row = { jobId: job, secretHash: hashSecret(secret), nodes: options.nodes ?? 1, nice: 100 }
  const rowId = await insertSlurmJob(row)
  if (rowId === null) throw new Error('The job was not submitted.')
  return { job, rowId }
}

function report(rowId: string, more: Partial<StepReport> = {}): StepReport {
  const given = { gpuIndexes: [0], cpuMilli: 2000, memoryMib: 500, cgroup: null }
  return { rowId, secret, slurmId: 7, restart: 0, rank: 0, ...given, ...more }
}

async function started(lease: Lease) {
  const { job, rowId } = await submitted()
  await checkIn(lease.nodeId, report(rowId))
  await placeSteps(rowId, 0)
  return { job, rowId }
}

describe('a submission', () => {
  it('happens once, however many leaders try', async () => {
    const job = await makeJob()
    const row = { jobId: job, secretHash: hashSecret(secret), nodes: 1, nice: 0 }
    const inserted = await Promise.all(Array.from({ length: 8 }, () => insertSlurmJob(row)))
    expect(inserted.filter((id) => id !== null)).toHaveLength(1)
    expect(await readUnsubmitted(10)).toEqual([])
  })

  it('is not made for a job that backs off, has ended, or while the scheduler is stopped', async () => {
    const job = await makeJob()
    await makeJob({ held: true })
    expect((await readUnsubmitted(10)).map(({ id }) => id)).toEqual([job])
    await db.pool.query('UPDATE policies SET running = false')
    expect(await readUnsubmitted(10)).toEqual([])
    await db.pool.query('UPDATE policies SET running = true')
    await db.pool.query(
      `UPDATE jobs SET status = 'cancelled', reason = 'cancelled_by_user', ended_at = now()`,
    )
    expect(await readUnsubmitted(10)).toEqual([])
    expect(await insertSlurmJob({ jobId: job, secretHash: Buffer.alloc(32), nodes: 1, nice: 0 })).toBeNull()
  })

  it('goes where the project goes, otherwise the pool, otherwise the default', async () => {
    const job = await makeJob({ spec: { pool: 'reserved' } })
    const target = async () => (await readUnsubmitted(10)).find(({ id }) => id === job)?.target.partition
    const add = (partition: string, project: boolean, pool: string | null) =>
      db.pool.query(
        `INSERT INTO slurm_targets (id, project_id, pool, partition)
         SELECT $1, CASE WHEN $3 THEN project_id END, $4::"NodePool", $2 FROM jobs WHERE id = $5`,
        [randomUUID(), partition, project, pool, job],
      )
    expect(await target()).toBeNull()
    await add('default', false, null)
    await add('other-pool', false, 'on-demand')
    expect(await target()).toBe('default')
    await add('pool', false, 'reserved')
    expect(await target()).toBe('pool')
    await add('project', true, null)
    expect(await target()).toBe('project')
  })

  it('keeps the first id that Slurm gave, and no id of another live row', async () => {
    const [one, two] = [await submitted(), await submitted()]
    await recordSlurmId(one.rowId, 7)
    await recordSlurmId(one.rowId, 8)
    await recordSlurmId(two.rowId, 7)
    const rows = await readLiveSlurmJobs()
    expect(rows.map(({ slurmId }) => slurmId)).toEqual([7, null])
  })

  it('a submission that Slurm refuses ends the job with the message', async () => {
    const { job, rowId } = await submitted()
    await recordRefusal(job, rowId, 'Invalid account')
    expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'slurm_refused' })
    expect(await readLiveSlurmJobs()).toEqual([])
    expect(await findEndedRows([rowId])).toEqual(new Set([rowId]))
  })

  it('a submission that waits for Slurm says so, until it has an id', async () => {
    const { job, rowId } = await submitted()
    await explainUnsubmitted('slurm_unreachable')
    expect((await jobState(job)).reason).toBe('slurm_unreachable')
    await db.pool.query('UPDATE jobs SET reason = NULL')
    await recordSlurmId(rowId, 7)
    await explainUnsubmitted('slurm_unreachable')
    expect((await jobState(job)).reason).toBeNull()
  })
})

describe('a step', () => {
  it('is refused with a wrong secret, for an unknown row, and for one that has ended', async () => {
    const { nodeId } = await makeNode()
    const { job, rowId } = await submitted()
    const refused = { ok: false, why: expect.any(String) }
    expect(await checkIn(nodeId, report(rowId, { secret: 'wrong' }))).toEqual(refused)
    expect(await checkIn(nodeId, report(randomUUID()))).toEqual(refused)
    await endSlurmJob({ id: rowId, jobId: job }, 'LOST', null)
    expect(await checkIn(nodeId, report(rowId))).toEqual(refused)
  })

  it('a step of a second Slurm job for the same row is refused', async () => {
    const { nodeId } = await makeNode()
    const { job, rowId } = await submitted()
    expect(await checkIn(nodeId, report(rowId))).toEqual({ ok: true, jobId: job })
    expect(await checkIn(nodeId, report(rowId, { slurmId: 8 }))).toMatchObject({ ok: false })
    expect(await checkIn(nodeId, report(rowId))).toEqual({ ok: true, jobId: job })
  })

  it('starts the job on exactly its GPUs, CPUs and memory, once', async () => {
    const lease = await makeNode({ gpus: 4 })
    const { job, rowId } = await submitted({ spec: { gpu_count: 2 } })
    await checkIn(
      lease.nodeId,
      report(rowId, { gpuIndexes: [1, 3], cgroup: '/job_7/step_batch/user/task_0' }),
    )
    const placed = await Promise.all(Array.from({ length: 5 }, () => placeSteps(rowId, 0)))
    expect(placed).toEqual(placed.map(() => ({ state: 'placed', attempt: 1 })))
    const [task, ...more] = await claimTasks(lease)
    expect(more).toEqual([])
    const cgroup = '/job_7/step_batch/user/task_0'
    expect(task).toMatchObject({ jobId: job, attempt: 1, cpuMilli: 2000, memoryMib: 500, cgroup })
    expect(task?.gpus.map(({ index }) => index)).toEqual([1, 3])
    expect(await readBooks()).toEqual({ gpus: 2000, allocations: 2000 })
  })

  it('gets no more CPUs and memory than the machine has', async () => {
    const lease = await makeNode()
    const { rowId } = await submitted()
    await checkIn(lease.nodeId, report(rowId, { cpuMilli: 64_000, memoryMib: 1_000_000 }))
    await placeSteps(rowId, 0)
    expect(await claimTasks(lease)).toMatchObject([{ cpuMilli: 8000, memoryMib: 16_000 }])
  })

  it('waits for the other nodes of its job, and for those that leave before the start', async () => {
    const [one, two] = [await makeNode(), await makeNode()]
    const { job, rowId } = await submitted({ nodes: 2, spec: { instance_count: 2 } })
    await checkIn(one.nodeId, report(rowId))
    expect(await placeSteps(rowId, 0)).toEqual({ state: 'incomplete' })
    await withdrawStep(report(rowId))
    await checkIn(two.nodeId, report(rowId, { rank: 1 }))
    expect(await placeSteps(rowId, 0)).toEqual({ state: 'incomplete' })
    await checkIn(one.nodeId, report(rowId))
    expect(await placeSteps(rowId, 0)).toEqual({ state: 'placed', attempt: 1 })
    const tasks = [...(await claimTasks(one)), ...(await claimTasks(two))]
    expect(tasks.map(({ rank, networkIndex }) => [rank, networkIndex !== null])).toEqual([
      [0, true],
      [1, true],
    ])
    expect((await jobState(job)).status).toBe('scheduled')
  })

  it('waits while an earlier task holds its GPU, its node is not ready, or gpuq does not know the GPU', async () => {
    const lease = await makeNode({ gpus: 2 })
    await placeManually(lease.nodeId, await makeJob())
    const { rowId } = await submitted()
    await checkIn(lease.nodeId, report(rowId))
    expect(await placeSteps(rowId, 0)).toMatchObject({
      state: 'later',
      why: expect.stringContaining('GPU 0'),
    })
    await checkIn(lease.nodeId, report(rowId, { gpuIndexes: [7] }))
    expect(await placeSteps(rowId, 0)).toMatchObject({
      state: 'later',
      why: expect.stringContaining('GPU 7'),
    })
    await checkIn(lease.nodeId, report(rowId, { gpuIndexes: [1] }))
    await db.pool.query(`UPDATE nodes SET status = 'draining'`)
    expect(await placeSteps(rowId, 0)).toMatchObject({ state: 'later' })
    expect(await readBooks()).toEqual({ gpus: 1000, allocations: 1000 })
    await db.pool.query(`UPDATE nodes SET status = 'ready'`)
    expect(await placeSteps(rowId, 0)).toMatchObject({ state: 'placed' })
  })

  it('shares a GPU with other tasks if it has shards of it', async () => {
    const lease = await makeNode()
    for (const share of [1, 2]) {
      const { rowId } = await submitted({ spec: { gpu_fraction: 0.5 } })
      await checkIn(lease.nodeId, report(rowId, { slurmId: share }))
      expect(await placeSteps(rowId, 0)).toMatchObject({ state: 'placed' })
    }
    expect(await readBooks()).toEqual({ gpus: 1000, allocations: 1000 })
  })

  it('is not wanted when its job has ended, or for an earlier start', async () => {
    const lease = await makeNode()
    const { job, rowId } = await submitted()
    await checkIn(lease.nodeId, report(rowId))
    await db.pool.query(
      `UPDATE jobs SET status = 'cancelled', reason = 'cancelled_by_user', ended_at = now() WHERE id = $1`,
      [job],
    )
    expect(await placeSteps(rowId, 0)).toEqual({ state: 'over' })
  })

  it('makes the next attempt after Slurm started its job again, when the previous one has ended', async () => {
    const lease = await makeNode({ gpus: 2 })
    const { job, rowId } = await started(lease)
    await checkIn(lease.nodeId, report(rowId, { restart: 1, gpuIndexes: [1] }))
    expect(await placeSteps(rowId, 1)).toMatchObject({ state: 'later' })
    await db.pool.query(`UPDATE tasks SET status = 'failed', reason = 'slurm_requeued', ended_at = now()`)
    await db.pool.query(`UPDATE jobs SET status = 'pending' WHERE id = $1`, [job])
    expect(await placeSteps(rowId, 1)).toEqual({ state: 'placed', attempt: 2 })
    expect(await placeSteps(rowId, 0)).toEqual({ state: 'over' })
  })
})

describe('the end of a job in Slurm', () => {
  it('stops its task, unless the job is being cancelled', async () => {
    const lease = await makeNode()
    const { job, rowId } = await started(lease)
    await claimTasks(lease)
    expect(await tasksToStop(lease)).toEqual([])
    await setStopReason(rowId, 1, 'timeout')
    await setStopReason(rowId, 1, 'node_lost')
    expect(await readStopReason(rowId, 1)).toMatchObject({ reason: 'timeout' })
    expect(await tasksToStop(lease)).toMatchObject([{ reason: 'timeout' }])
    await db.pool.query(
      `UPDATE jobs SET cancel_requested_at = now(), cancel_reason = 'cancelled_by_user' WHERE id = $1`,
      [job],
    )
    expect(await tasksToStop(lease)).toMatchObject([{ reason: 'cancelled_by_user' }])
  })

  it('gives the step the exit code of its task', async () => {
    const lease = await makeNode()
    const { job } = await started(lease)
    const task = { jobId: job, attempt: 1, rank: 0 }
    expect(await readEndedTasks([task])).toEqual([])
    const end = (status: string, reason: string, code: number | null) =>
      db.pool.query(
        'UPDATE tasks SET status = $1::"TaskStatus", reason = $2, exit_code = $3, ended_at = now()',
        [status, reason, code],
      )
    for (const [status, reason, code, expected] of [
      ['failed', 'exit_code', 3, 3],
      ['failed', 'node_lost', null, 1],
      ['cancelled', 'cancelled_by_user', 0, 1],
      ['completed', 'finished', 0, 0],
    ] as const) {
      await end(status, reason, code)
      expect(await readEndedTasks([task])).toEqual([{ ...task, code: expected }])
    }
  })

  it('stops a task without a step, but not that of a suspended job, whose script cannot connect', async () => {
    const lease = await makeNode()
    const { job, rowId } = await started(lease)
    await db.pool.query(
      `UPDATE tasks SET status = 'running', started_at = now(), created_at = now() - interval '1 hour'`,
    )
    const found = async () => (await findStepless(lease.nodeId, 60)).map(({ jobId }) => jobId)
    expect(await found()).toEqual([job])
    const setState = (state: string) =>
      db.pool.query('UPDATE slurm_jobs SET state = $2 WHERE id = $1', [rowId, state])
    await setState('SUSPENDED')
    expect(await found()).toEqual([])
    await setState('CANCELLED')
    expect(await found()).toEqual([job])
  })

  it('ends a waiting job with a verdict, or lets it be submitted again', async () => {
    const [cancelled, lost] = [await submitted(), await submitted()]
    const verdict = { reason: 'cancelled_in_slurm', detail: null, exitCode: null } as const
    await endSlurmJob({ id: cancelled.rowId, jobId: cancelled.job }, 'CANCELLED', verdict)
    expect(await jobState(cancelled.job)).toMatchObject({
      status: 'cancelled',
      reason: 'cancelled_in_slurm',
      cancelled_while_waiting: true,
    })
    await endSlurmJob({ id: lost.rowId, jobId: lost.job }, 'LOST', null)
    expect((await readUnsubmitted(10)).map(({ id }) => id)).toEqual([lost.job])
  })

  it('lets the job wait, and says why, if its script reached no worker', async () => {
    const { job, rowId } = await submitted()
    await db.pool.query("UPDATE jobs SET reason = 'slurm_starting'")
    const retry = { reason: 'backing_off', detail: 'No worker.', waitS: 60 } as const
    await endSlurmJob({ id: rowId, jobId: job }, 'FAILED', null, retry)
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'backing_off' })
    expect(await readUnsubmitted(10)).toEqual([])
  })

  it('is remembered for a job whose row was deleted, so that it is cancelled', async () => {
    const { job } = await submitted()
    await db.pool.query('DELETE FROM jobs WHERE id = $1', [job])
    expect(await readLiveSlurmJobs()).toMatchObject([{ status: null, doneSeconds: expect.any(Number) }])
  })
})
