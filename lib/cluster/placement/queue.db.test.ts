import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { plan } from '../../scheduling/plan'
import { markExpiredNodesLost } from '../nodes/lost-nodes'
import {
  deregisterNode,
  type Lease,
  NodeNameTaken,
  offerNode,
  registerNode,
  renewLease,
} from '../nodes/nodes'
import { finishTask } from '../tasks/finish-task'
import { appendOutput } from '../tasks/task-progress'
import { type ClaimedTask, claimTasks, Fenced, markRunning, unfinishedTasks } from '../tasks/tasks'
import { jobState, makeJob, makeNode, readBooks } from '../testing/rows'
import { commitPlacement } from './place'
import { takeSnapshot } from './snapshot'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})

async function placeAll(): Promise<void> {
  const { snapshot } = await takeSnapshot()
  for (const placement of plan(snapshot).placements) await commitPlacement(placement)
}

async function claimOne(lease: Lease): Promise<ClaimedTask> {
  const [task] = await claimTasks(lease)
  if (!task) throw new Error('There is no task to claim.')
  return task
}

const finished = { reason: 'finished', detail: null, exitCode: 0 } as const

describe('the life of a job', () => {
  it('is placed, claimed, run and completed, and releases its GPU', async () => {
    const lease = await makeNode()
    const job = await makeJob()
    await placeAll()
    expect(await jobState(job)).toMatchObject({ status: 'scheduled', attempt: 1 })
    expect(await readBooks()).toEqual({ gpus: 1000, allocations: 1000 })
    const task = await claimOne(lease)
    expect(task.gpus).toEqual([expect.objectContaining({ index: 0, simulated: true, milli: 1000 })])
    await markRunning(lease, task, 'sha256:image')
    expect((await jobState(job)).status).toBe('running')
    await finishTask(lease, task, finished)
    expect(await jobState(job)).toMatchObject({ status: 'completed', reason: 'finished', exit_code: 0 })
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })

  it('is claimed once by concurrent claims', async () => {
    const lease = await makeNode({ gpus: 8 })
    for (let i = 0; i < 8; i++) await makeJob()
    await placeAll()
    const claims = await Promise.all(Array.from({ length: 6 }, () => claimTasks(lease)))
    const ids = claims.flat().map(({ id }) => id)
    expect(ids).toHaveLength(8)
    expect(new Set(ids).size).toBe(8)
  })

  it('returns to the queue for system faults only, and fails without retries left', async () => {
    const lease = await makeNode()
    const job = await makeJob({ maxRetries: 1 })
    for (const expected of [
      { status: 'pending', reason: 'backing_off', attempt: 1 },
      { status: 'failed', reason: 'internal_error', attempt: 2 },
    ]) {
      await db.pool.query('UPDATE jobs SET not_before = NULL')
      await placeAll()
      const outcome = { reason: 'internal_error', detail: null, exitCode: null } as const
      await finishTask(lease, await claimOne(lease), outcome)
      expect(await jobState(job)).toMatchObject(expected)
    }
    const theirs = await makeJob()
    await placeAll()
    await finishTask(lease, await claimOne(lease), { reason: 'exit_code', detail: null, exitCode: 1 })
    expect(await jobState(theirs)).toMatchObject({ status: 'failed', reason: 'exit_code', attempt: 1 })
  })
})

describe('allocations', () => {
  it('never give a GPU to two tasks of concurrent planners', async () => {
    await makeNode({ gpus: 3 })
    for (let i = 0; i < 20; i++) await makeJob({ spec: i % 2 ? { gpu_fraction: 0.5 } : {} })
    const { snapshot } = await takeSnapshot()
    const { placements } = plan(snapshot)
    const commits = await Promise.all([...placements, ...placements, ...placements].map(commitPlacement))
    expect(commits.filter(({ ok }) => ok)).toHaveLength(placements.length)
    const books = await readBooks()
    expect(books.gpus).toBe(books.allocations)
    expect(books.gpus).toBeLessThanOrEqual(3000)
  })

  it('give a small fraction of a GPU enough CPU and memory to start a program', async () => {
    await makeNode({ gpus: 8 })
    const job = await makeJob({ spec: { gpu_fraction: 0.001 } })
    await placeAll()
    const { rows } = await db.pool.query('SELECT cpu_milli, memory_mib FROM tasks WHERE job_id = $1', [job])
    expect(rows).toEqual([{ cpu_milli: 100, memory_mib: 103 }])
    expect(await readBooks()).toEqual({ gpus: 1, allocations: 1 })
  })

  it('share CPU and memory among the present GPUs, not the missing ones', async () => {
    await makeNode({ gpus: 8 })
    await db.pool.query('UPDATE gpus SET missing = true WHERE index > 1')
    await makeJob()
    await placeAll()
    const { rows } = await db.pool.query('SELECT cpu_milli, memory_mib FROM tasks')
    expect(rows).toEqual([{ cpu_milli: 4000, memory_mib: 8000 }])
  })

  it('refuse an outdated plan with the dimension that does not fit', async () => {
    await makeNode()
    await makeJob()
    const stale = await takeSnapshot()
    const [first] = plan(stale.snapshot).placements
    const second = await makeJob()
    if (!first) throw new Error('Nothing was planned.')
    expect(await commitPlacement(first)).toEqual({ ok: true })
    expect(await commitPlacement({ ...first, jobId: second })).toEqual({ ok: false, dimension: 'gpu' })
    expect(await jobState(second)).toMatchObject({ status: 'pending', attempt: 0 })
    expect(await commitPlacement(first)).toEqual({ ok: false, dimension: 'job' })
  })
})

describe('a lease', () => {
  it('fences off all writes of an earlier worker of the node', async () => {
    const name = 'gpu-box'
    const old = await makeNode({ name })
    const job = await makeJob()
    await placeAll()
    const task = await claimOne(old)
    const fresh = await makeNode({ name })
    expect(await renewLease(old)).toBe('taken')
    await expect(markRunning(old, task, 'x')).rejects.toThrow(Fenced)
    const batch = { start: 0, records: Buffer.from('{}\n'), stdoutConsumed: 1, stderrConsumed: 0 }
    await expect(appendOutput(old, task, batch)).rejects.toThrow(Fenced)
    await expect(finishTask(old, task, finished)).rejects.toThrow(Fenced)
    expect((await jobState(job)).status).toBe('scheduled')
    const [adopted] = await unfinishedTasks(fresh)
    expect(adopted?.id).toBe(task.id)
  })

  it('cannot be taken from a live worker on another machine', async () => {
    await makeNode({ name: 'shared-name', engineId: 'a' })
    await expect(makeNode({ name: 'shared-name', engineId: 'b' })).rejects.toThrow(NodeNameTaken)
    await db.pool.query(`UPDATE nodes SET lease_expires_at = now() - interval '1 second'`)
    await expect(makeNode({ name: 'shared-name', engineId: 'b' })).resolves.toBeDefined()
  })

  it('loses the node when it expires: the job is retried elsewhere and the GPU is free', async () => {
    const lost = await makeNode({ name: 'lost' })
    const job = await makeJob()
    await placeAll()
    const task = await claimOne(lost)
    await markRunning(lost, task, 'x')
    await db.pool.query(`UPDATE nodes SET lease_expires_at = now() - interval '1 second' WHERE name = 'lost'`)
    expect(await markExpiredNodesLost()).toEqual(['lost'])
    expect(await markExpiredNodesLost()).toEqual([])
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'backing_off', attempt: 1 })
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
    expect(await renewLease(lost)).toBe('expired')
    await expect(finishTask(lost, task, finished)).rejects.toThrow(Fenced)

    const living = await makeNode({ name: 'living' })
    await db.pool.query('UPDATE jobs SET not_before = NULL')
    await placeAll()
    const retry = await claimOne(living)
    expect(retry).toMatchObject({ jobId: job, attempt: 2 })
    await finishTask(living, retry, finished)
    expect(await jobState(job)).toMatchObject({ status: 'completed', attempt: 2 })
  })

  it('stops new placements after its release', async () => {
    const lease = await makeNode()
    await deregisterNode(lease)
    const job = await makeJob()
    await placeAll()
    expect(await claimTasks(lease)).toEqual([])
    expect(await jobState(job)).toMatchObject({ status: 'pending', attempt: 0 })
  })

  it('keeps allocations when GPUs are registered again, and marks missing GPUs', async () => {
    const registration = {
      name: 'n',
      engineId: 'e',
      engineVersion: '1',
      warnings: [],
      cpuMilli: 1000,
      memoryMib: 1000,
    }
    const gpu = (index: number) => ({ index, uuid: `u${index}`, model: 'm', memoryMib: 1, simulated: true })
    await offerNode(await registerNode({ ...registration, gpus: [gpu(0), gpu(1)] }))
    await makeJob()
    await placeAll()
    await registerNode({ ...registration, gpus: [gpu(0)] })
    const { rows } = await db.pool.query('SELECT uuid, missing, allocated_milli FROM gpus ORDER BY index')
    expect(rows).toEqual([
      { uuid: 'u0', missing: false, allocated_milli: 1000 },
      { uuid: 'u1', missing: true, allocated_milli: 0 },
    ])
  })
})

describe('output', () => {
  it('stores output once if an acknowledgement was lost', async () => {
    const lease = await makeNode()
    await makeJob()
    await placeAll()
    const task = await claimOne(lease)
    const batch = { start: 0, records: Buffer.from('{}\n'), stdoutConsumed: 3, stderrConsumed: 0 }
    await appendOutput(lease, task, batch)
    await appendOutput(lease, task, batch)
    const { rows } = await db.pool.query('SELECT count(*)::int AS chunks FROM log_chunks')
    expect(rows[0]).toEqual({ chunks: 1 })
    const [again] = await unfinishedTasks(lease)
    expect(again).toMatchObject({ stdoutConsumed: 3, outputBytes: 3 })
  })
})
