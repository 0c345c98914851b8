import type { Dependency } from '../../contract/config/depends-on'
import { oneRow, type Transaction } from '../../database/transaction'
import { describeWait, type Found, readPrerequisites } from './prerequisites'

/** Reads the dependencies of jobs that the leader has not settled. */
export async function readOpen(
  tx: Transaction,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, Found[]>> {
  const { rows } = await tx.query<Dependency & { jobId: string }>({
    name: 'open-dependencies',
    text: `SELECT job_id AS "jobId", depends_on AS id, condition AS when FROM job_dependencies
            WHERE job_id = ANY ($1::uuid[]) ORDER BY job_id, depends_on`,
    values: [jobIds],
  })
  const known = await readPrerequisites(tx, [...new Set(rows.map(({ id }) => id))])
  const found = new Map<string, Found[]>(rows.map(({ jobId }) => [jobId, []]))
  for (const { jobId, id, when } of rows) found.get(jobId)?.push({ id, when, other: known.get(id) ?? null })
  return found
}

/** Says for what a job waits; null: for nothing. Locks the job, so that no leader settles its last dependency meanwhile. */
export async function readWait(tx: Transaction, jobId: string): Promise<string | null> {
  const { projectId } = await oneRow<{ projectId: string }>(
    tx,
    'SELECT project_id AS "projectId" FROM jobs WHERE id = $1 FOR UPDATE',
    [jobId],
  )
  const open = await readOpen(tx, [jobId])
  return describeWait(open.get(jobId) ?? [], projectId)
}
