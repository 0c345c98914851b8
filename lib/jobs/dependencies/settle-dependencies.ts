import type { JobStatus } from '../../contract/status'
import { database } from '../../database/client'
import { type Transaction, transaction } from '../../database/transaction'
import { finishWaiting } from '../state/finish'
import { type DependentWait, updateDependents } from '../state/hold'
import { readOpen } from './open-dependencies'
import { describeFailed, describeWait, stateOf } from './prerequisites'

/** Rows of one pass, so that its transaction stays short. */
const maxRows = 1_000

/**
 * Lets those jobs start whose dependencies are all met, unless somebody holds them. Cancels those with a dependency that has ended
 * otherwise. It compares what is stored, so a repetition changes nothing, and a leader that dies misses no end.
 */
export async function settleDependencies(): Promise<void> {
  let settled: number
  do {
    settled = await settleSome()
  } while (settled === maxRows)
}

async function settleSome(): Promise<number> {
  const { rows } = await database().pool.query<{ jobId: string }>({
    name: 'ended-dependencies',
    text: `SELECT d.job_id AS "jobId" FROM job_dependencies d JOIN jobs j ON j.id = d.job_id
             LEFT JOIN jobs o ON o.id = d.depends_on LEFT JOIN job_groups g ON g.id = d.depends_on
            WHERE j.status <> 'pending'
               OR CASE WHEN o.id IS NULL THEN g.id IS NULL OR g.ended_at IS NOT NULL ELSE o.status IN ('completed', 'failed', 'cancelled') END
            LIMIT $1`,
    values: [maxRows],
  })
  await settle(rows.map(({ jobId }) => jobId))
  return rows.length
}

/** Says how far the groups are for which jobs wait. */
export async function describeProgress(): Promise<void> {
  const { rows } = await database().pool.query<{ jobId: string }>({
    name: 'jobs-that-wait-for-groups',
    text: 'SELECT DISTINCT d.job_id AS "jobId" FROM job_dependencies d JOIN job_groups g ON g.id = d.depends_on ORDER BY d.job_id',
  })
  for (let from = 0; from < rows.length; from += maxRows)
    await settle(rows.slice(from, from + maxRows).map(({ jobId }) => jobId))
}

async function settle(given: readonly string[]): Promise<void> {
  const jobIds = [...new Set(given)]
  if (jobIds.length > 0) await transaction((tx) => settleJobs(tx, jobIds))
}

async function settleJobs(tx: Transaction, jobIds: readonly string[]): Promise<void> {
  // In the order in which all code locks jobs.
  const { rows: jobs } = await tx.query<{ id: string; projectId: string; status: JobStatus }>(
    'SELECT id, project_id AS "projectId", status FROM jobs WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE',
    [jobIds],
  )
  const open = await readOpen(tx, jobIds)
  const settled: { jobId: string; id: string }[] = []
  const waits: DependentWait[] = []
  for (const { id: jobId, projectId, status } of jobs) {
    const dependencies = open.get(jobId) ?? []
    const failed = dependencies.find((one) => stateOf(one) === 'failed')
    if (failed !== undefined)
      await finishWaiting(tx, jobId, { ...describeFailed(failed, projectId), exitCode: null })
    const isOver = failed !== undefined || status !== 'pending'
    const left = isOver ? [] : dependencies.filter((one) => stateOf(one) === 'open')
    settled.push(...dependencies.filter((one) => !left.includes(one)).map(({ id }) => ({ jobId, id })))
    if (!isOver) waits.push({ jobId, sentence: describeWait(left, projectId) })
  }
  await tx.query(
    `DELETE FROM job_dependencies d USING unnest($1::uuid[], $2::uuid[]) AS e (job_id, depends_on)
      WHERE d.job_id = e.job_id AND d.depends_on = e.depends_on`,
    [settled.map(({ jobId }) => jobId), settled.map(({ id }) => id)],
  )
  await updateDependents(tx, waits)
}
