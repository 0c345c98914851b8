import { findProject, type Submitter } from '../../access/projects/submission-project'
import type { Pool } from '../../contract/config/pools'
import { findRow, type Transaction } from '../../database/transaction'

/** SQL for where a job goes in Slurm: the row of its project, otherwise that of its pool, otherwise the default. */
export function slurmTargetOf(projectId: string, pool: string): string {
  return `SELECT account, partition, qos, reservation FROM slurm_targets
           WHERE (project_id IS NULL OR project_id = ${projectId}) AND (pool IS NULL OR pool::text = ${pool})
           ORDER BY project_id IS NULL, pool IS NULL LIMIT 1`
}

/** The partition for a user's job in a project, which may not exist yet. Null: Slurm's default. */
export async function findTargetPartition(
  executor: Transaction,
  submitter: Submitter,
  project: string,
  pool: Pool,
): Promise<string | null> {
  const known = await findProject(executor, submitter, project)
  const target = await findRow<{ partition: string | null }>(executor, {
    name: 'slurm-target-of',
    text: `SELECT partition FROM (${slurmTargetOf('$1::uuid', '$2::text')}) target`,
    values: [known?.id ?? null, pool],
  })
  return target?.partition ?? null
}
