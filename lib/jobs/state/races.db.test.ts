import { beforeEach, expect, it, vi } from 'vitest'
import { jobState, makeJob, makeNode, readBooks } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { type Transaction, transaction } from '../../database/transaction'
import { checkIn, hashSecret } from '../../slurm/jobs/check-in'
import { placeSteps } from '../../slurm/jobs/place-steps'
import { insertSlurmJob } from '../../slurm/jobs/submissions'
import { cancelUnclaimed } from './cancel'
import { finishAttempt } from './finish'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users, slurm_jobs CASCADE')
})

/** Begins `second` while the transaction of `first` has changed the job and not committed. Returns what `second` returned. */
async function overtake<Result>(
  first: (tx: Transaction) => Promise<unknown>,
  second: () => Promise<Result>,
): Promise<Result> {
  const { running } = await transaction(async (tx) => {
    await first(tx)
    const running = second()
    await vi.waitFor(async () => {
      const { rowCount } = await db.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE jobs%'`,
      )
      expect(rowCount).toBe(1)
    }, 30_000)
    return { running }
  })
  return running
}

it('a job that has just ended is not cancelled by a cancel that had seen it before its end', async () => {
  const job = { jobId: await makeJob(), attempt: 1 }
  await db.pool.query("UPDATE jobs SET status = 'scheduled', attempt = 1")
  const end = { reason: 'image_unavailable', detail: null, exitCode: null } as const
  const cancelled = await overtake(
    (tx) => finishAttempt(tx, job, end),
    () => transaction((tx) => cancelUnclaimed(tx, job, 'cancelled_by_user')),
  )
  expect(cancelled).toBe(false)
  expect(await jobState(job.jobId)).toMatchObject({ status: 'failed', reason: 'image_unavailable' })
})

it('a job that was cancelled gets no task from the steps that Slurm started for it', async () => {
  const { nodeId } = await makeNode()
  const jobId = await makeJob()
  const row = { jobId, secretHash: hashSecret('secret'), nodes: 1, nice: 0 }
  const rowId = (await insertSlurmJob(row)) ?? ''
  const given = { gpuIndexes: [0], cpuMilli: 1000, memoryMib: 500, cgroup: null }
  await checkIn(nodeId, { rowId, secret: 'secret', slurmId: 7, restart: 0, rank: 0, ...given })
  const placed = await overtake(
    (tx) => cancelUnclaimed(tx, { jobId, attempt: 0 }, 'cancelled_by_user'),
    () => placeSteps(rowId, 0),
  )
  expect(placed).toEqual({ state: 'over' })
  expect(await jobState(jobId)).toMatchObject({ status: 'cancelled', attempt: 0 })
  expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  expect((await db.pool.query('SELECT 1 FROM tasks')).rowCount).toBe(0)
})
