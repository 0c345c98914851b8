import { isFinal, type JobStatus } from '../../contract/status'
import { database } from '../../database/client'
import { type Transaction, transaction } from '../../database/transaction'
import { finishWaiting } from '../state/finish'
import { releaseDependents } from '../state/hold'

/** Rows of one pass, so that its transaction stays short. */
const maxRows = 1_000

/** A waiting job, and one of its dependencies. At least one of the two has ended. */
interface EndedDependency {
  jobId: string
  dependsOn: string
  /** The status of the dependency. */
  status: JobStatus
}

/**
 * Lets those jobs start whose dependencies have all completed, unless somebody holds them. Cancels those with a dependency
 * that has ended in another way.
 */
export async function settleDependencies(): Promise<void> {
  let settled: number
  do {
    settled = await settleSome()
  } while (settled === maxRows)
}

async function settleSome(): Promise<number> {
  const { rows } = await database().pool.query<EndedDependency>({
    name: 'ended-dependencies',
    text: `SELECT d.job_id AS "jobId", d.depends_on AS "dependsOn", o.status
             FROM job_dependencies d JOIN jobs o ON o.id = d.depends_on JOIN jobs j ON j.id = d.job_id
            WHERE o.status IN ('completed', 'failed', 'cancelled') OR j.status <> 'pending' LIMIT $1`,
    values: [maxRows],
  })
  if (rows.length > 0) await transaction((tx) => settle(tx, rows))
  return rows.length
}

async function settle(tx: Transaction, ended: readonly EndedDependency[]): Promise<void> {
  const jobIds = [...new Set(ended.map(({ jobId }) => jobId))]
  // In the order in which all code locks jobs.
  await tx.query('SELECT 1 FROM jobs WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE', [jobIds])
  for (const { jobId, dependsOn, status } of ended) {
    if (!isFinal(status) || status === 'completed') continue
    const detail = `The job ${dependsOn} has ended as ${status}.`
    await finishWaiting(tx, jobId, { reason: 'dependency_failed', detail, exitCode: null })
  }
  await tx.query(
    `DELETE FROM job_dependencies d USING unnest($1::uuid[], $2::uuid[]) AS e (job_id, depends_on)
      WHERE d.job_id = e.job_id AND d.depends_on = e.depends_on`,
    [ended.map(({ jobId }) => jobId), ended.map(({ dependsOn }) => dependsOn)],
  )
  await releaseDependents(tx, jobIds)
}
