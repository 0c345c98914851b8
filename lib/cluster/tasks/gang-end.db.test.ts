import { beforeEach, describe, expect, it } from 'vitest'
import type { Actor } from '../../access/actor'
import type { EndReason } from '../../contract/reasons'
import { testDatabase } from '../../database/testing/test-database'
import { cancelJob } from '../../jobs/lifecycle/cancel'
import type { Outcome } from '../../jobs/state/finish'
import { plan } from '../../scheduling/plan'
import { markExpiredNodesLost } from '../nodes/lost-nodes'
import type { Lease } from '../nodes/nodes'
import { commitPlacement, preemptJobs } from '../placement/place'
import { takeSnapshot } from '../placement/snapshot'
import { jobState, makeJob, makeNode, makeUser, readBooks } from '../testing/rows'
import { tasksToStop } from '../testing/tasks-to-stop'
import { finishTask } from './finish-task'
import { markReady, readReadiness } from './task-progress'
import { type ClaimedTask, claimTasks, Fenced, markRunning, recordStopReason } from './tasks'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})

interface Rank {
  lease: Lease
  task: ClaimedTask
}

async function place(): Promise<void> {
  const { snapshot } = await takeSnapshot()
  for (const placement of plan(snapshot).placements) await commitPlacement(placement)
}

/** Two nodes, `a` and `b`, each with a job on one GPU. */
async function placePair(options: { maxRetries?: number; userId?: string } = {}) {
  const leases = [await makeNode({ name: 'a' }), await makeNode({ name: 'b' })] as const
  const job = await makeJob({ ...options, spec: { instance_count: 2 } })
  await place()
  return { leases, job }
}

async function claim(lease: Lease): Promise<Rank> {
  const [task] = await claimTasks(lease)
  if (!task) throw new Error('There is no task to claim.')
  return { lease, task }
}

async function runPair(options: { maxRetries?: number; userId?: string } = {}) {
  const { leases, job } = await placePair(options)
  const [a, b] = [await claim(leases[0]), await claim(leases[1])]
  for (const { lease, task } of [a, b]) await markRunning(lease, task, null)
  return { job, a, b }
}

const outcome = (reason: EndReason, exitCode: number | null = null): Outcome => {
  return { reason, detail: reason === 'exit_code' ? `Exit code ${exitCode}.` : null, exitCode }
}
const end = ({ lease, task }: Rank, reason: EndReason, exitCode: number | null = null) =>
  finishTask(lease, task, outcome(reason, exitCode))
const toStop = async ({ lease }: Rank) => (await tasksToStop(lease)).map(({ reason }) => reason)

async function detailOf(job: string): Promise<string | null> {
  const { rows } = await db.pool.query<{ detail: string | null }>(
    'SELECT reason_detail AS detail FROM jobs WHERE id = $1',
    [job],
  )
  return rows[0]?.detail ?? null
}

const expire = ({ lease }: Rank, seconds = 1) =>
  db.pool.query(`UPDATE nodes SET lease_expires_at = now() - make_interval(secs => $2) WHERE id = $1`, [
    lease.nodeId,
    seconds,
  ])

const actorOf = (userId: string): Actor => ({
  userId,
  handle: 'owner',
  role: 'researcher',
  scopes: [],
  via: 'session',
  tokenId: null,
  sessionId: null,
  restriction: null,
  limits: { submissionsPerMinute: null, maxActiveJobs: null },
})

describe('a job of two tasks', () => {
  it('completes when both tasks have, and each task releases its own GPU', async () => {
    const { job, a, b } = await runPair()
    await end(b, 'finished', 0)
    expect(await jobState(job)).toMatchObject({ status: 'running', exit_code: null })
    expect(await readBooks()).toEqual({ gpus: 1000, allocations: 1000 })
    expect(await toStop(a)).toEqual([])
    await end(a, 'finished', 0)
    expect(await jobState(job)).toMatchObject({ status: 'completed', exit_code: 0 })
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })

  it('stops the other task when one fails, and reports the one that failed', async () => {
    const { job, a, b } = await runPair()
    await end(b, 'exit_code', 3)
    expect(await jobState(job)).toMatchObject({ status: 'running' })
    expect(await toStop(a)).toEqual(['peer_failed'])
    await end(a, 'peer_failed', 143)
    expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'exit_code', exit_code: 3 })
    expect(await detailOf(job)).toBe(`Rank ${b.task.rank} on node "b" ended with exit code 3.`)
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })

  it('stops the other task as soon as one is being stopped', async () => {
    const { job, a, b } = await runPair()
    await recordStopReason(a.lease, a.task, 'timeout')
    expect([await toStop(a), await toStop(b)]).toEqual([[], ['peer_failed']])
    await end(b, 'exit_code', 1)
    await end(a, 'timeout', 143)
    expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'timeout' })
  })

  it('gets one result, of the first failure, if both fail at the same moment', async () => {
    const { job, a, b } = await runPair()
    await Promise.all([end(a, 'exit_code', 1), end(b, 'exit_code', 2)])
    const { rows } = await db.pool.query<{ exit_code: number }>(
      'SELECT exit_code FROM tasks WHERE job_id = $1 ORDER BY ended_at, rank LIMIT 1',
      [job],
    )
    expect(await jobState(job)).toMatchObject({ status: 'failed', exit_code: rows[0]?.exit_code })
    await expect(end(a, 'finished', 0)).rejects.toThrow(Fenced)
  })

  it('is retried as a whole after a system fault, once none of its tasks is left', async () => {
    const { job, a, b } = await runPair()
    const before = a.task.networkIndex
    await end(a, 'engine_restarted')
    await place()
    expect(await jobState(job)).toMatchObject({ status: 'running', attempt: 1 })
    await end(b, 'peer_failed')
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'backing_off' })
    await db.pool.query('UPDATE jobs SET not_before = NULL')
    await place()
    const again = [await claim(a.lease), await claim(b.lease)]
    for (const { task } of again) {
      expect(task).toMatchObject({ attempt: 2, instances: 2 })
      // Leftovers of the first attempt must not reach the second.
      expect(task.networkIndex).not.toBe(before)
    }
  })
})

describe('a lost node', () => {
  it('returns the job to the queue after the surviving task was stopped', async () => {
    const { job, a, b } = await runPair()
    await expire(a)
    await markExpiredNodesLost()
    expect(await jobState(job)).toMatchObject({ status: 'running', attempt: 1 })
    expect(await readBooks()).toEqual({ gpus: 1000, allocations: 1000 })
    expect(await toStop(b)).toEqual(['peer_failed'])
    await end(b, 'peer_failed')
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'backing_off' })
    expect(await detailOf(job)).toContain(`rank ${a.task.rank} on node "a"`)
  })

  it('is the cause if a program on the other node failed during its silence', async () => {
    const { job, a, b } = await runPair()
    await db.pool.query(`UPDATE tasks SET started_at = now() - interval '1 minute', created_at = started_at`)
    await end(b, 'exit_code', 1)
    await expire(a)
    await markExpiredNodesLost()
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'backing_off' })
  })

  it('is not the cause if it was heard from after the program failed elsewhere', async () => {
    const { job, a, b } = await runPair()
    await db.pool.query(`UPDATE tasks SET created_at = now() - interval '1 hour', started_at = created_at`)
    await end(b, 'exit_code', 1)
    await db.pool.query(`UPDATE tasks SET ended_at = now() - interval '1 minute' WHERE id = $1`, [b.task.id])
    await expire(a)
    await markExpiredNodesLost()
    expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'exit_code' })
  })

  it('a lost node and a second one, or all at once, still lead to a retry', async () => {
    const { job, a, b } = await runPair()
    await expire(a)
    await markExpiredNodesLost()
    await expire(b)
    await markExpiredNodesLost()
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'backing_off' })
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })

  it('ends the job if no retries are left', async () => {
    const { job, a, b } = await runPair({ maxRetries: 0 })
    await expire(a)
    await expire(b)
    await markExpiredNodesLost()
    expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'node_lost' })
  })
})

describe('cancelling', () => {
  it('cancelling of a job that is scheduled but not claimed takes effect at once', async () => {
    const userId = await makeUser()
    const { job, leases } = await placePair({ userId })
    await cancelJob(actorOf(userId), job)
    expect(await jobState(job)).toMatchObject({ status: 'cancelled', cancelled_while_waiting: true })
    for (const lease of leases) expect(await claimTasks(lease)).toEqual([])
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })

  it('cancelling of a partly claimed job waits only for the node that claimed it', async () => {
    const userId = await makeUser()
    const { job, leases } = await placePair({ userId })
    const a = await claim(leases[0])
    await cancelJob(actorOf(userId), job)
    expect(await claimTasks(leases[1])).toEqual([])
    expect(await jobState(job)).toMatchObject({ status: 'scheduled' })
    expect(await toStop(a)).toEqual(['cancelled_by_user'])
    await end(a, 'cancelled_by_user')
    expect(await jobState(job)).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_user' })
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })

  it('cancelling of a running job stops both tasks, however their programs end', async () => {
    const userId = await makeUser()
    const { job, a, b } = await runPair({ userId })
    await cancelJob(actorOf(userId), job)
    expect([await toStop(a), await toStop(b)]).toEqual([['cancelled_by_user'], ['cancelled_by_user']])
    await end(b, 'exit_code', 1)
    await end(a, 'cancelled_by_user', 143)
    expect(await jobState(job)).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_user' })
  })
})

describe('preemption', () => {
  it('stops all tasks, and requeues the job without using a retry', async () => {
    const { job, a, b } = await runPair({ maxRetries: 0 })
    await preemptJobs([{ jobId: job, forJobId: job }])
    expect([await toStop(a), await toStop(b)]).toEqual([['preempted'], ['preempted']])
    await end(b, 'exit_code', 1)
    expect(await toStop(a)).toEqual(['preempted'])
    await end(a, 'preempted', 143)
    expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'preempted' })
  })
})

describe('readiness', () => {
  it('is known to all tasks, counts from the first, and ends when all are ready', async () => {
    const { leases } = await placePair()
    const [a, b] = [await claim(leases[0]), await claim(leases[1])]
    expect(await readReadiness(a.task)).toMatchObject({ missing: [{}, {}], waitedSeconds: 0 })
    await markReady(a.lease, a.task)
    await db.pool.query(`UPDATE tasks SET ready_at = ready_at - interval '1 minute' WHERE id = $1`, [
      a.task.id,
    ])
    await markReady(a.lease, a.task)
    const { missing, waitedSeconds } = await readReadiness(b.task)
    expect(missing).toEqual([{ rank: b.task.rank, nodeName: 'b' }])
    expect(waitedSeconds).toBeGreaterThan(59)
    await markReady(b.lease, b.task)
    expect(await readReadiness(a.task)).toMatchObject({ missing: [] })
  })

  it('is refused for a worker that was fenced off', async () => {
    const { leases } = await placePair()
    const a = await claim(leases[0])
    await makeNode({ name: 'a' })
    await expect(markReady(a.lease, a.task)).rejects.toThrow(Fenced)
  })
})
