import { database } from '../../database/client'
import { oneRow } from '../../database/transaction'
import { explainUnsubmitted } from '../../jobs/state/explain'
import type { SlurmJobState, SlurmNodeState, SlurmPartition } from '../../slurm/slurm-client'

/** What the leader read about the cluster. */
export interface SlurmClusterState {
  version: string
  accounting: boolean
  nodes: readonly SlurmNodeState[]
  partitions: readonly SlurmPartition[]
}

/** Stores that Slurm answered, and what changed since the last answer. */
export async function storeClusterState(
  state: SlurmClusterState | null,
  otherJobs: readonly SlurmJobState[] | null,
): Promise<void> {
  await database().pool.query({
    name: 'store-slurm-cluster',
    text: `UPDATE slurm_cluster SET read_at = now(), problem = NULL, version = coalesce($1, version),
                  accounting = coalesce($2, accounting), nodes = coalesce($3::jsonb, nodes),
                  partitions = coalesce($4::jsonb, partitions), other_jobs = coalesce($5::jsonb, other_jobs)`,
    values: [
      state?.version,
      state?.accounting,
      state && JSON.stringify(state.nodes),
      state && JSON.stringify(state.partitions),
      otherJobs && JSON.stringify(otherJobs),
    ],
  })
}

/** Stores why Slurm does not answer, and tells the jobs that are not in Slurm yet. */
export async function storeSlurmProblem(problem: string): Promise<void> {
  const { pool } = database()
  await pool.query('UPDATE slurm_cluster SET problem = $1 WHERE problem IS DISTINCT FROM $1', [problem])
  await explainUnsubmitted('slurm_unreachable')
}

/** Whether an admin stopped the scheduler: then no job is submitted to Slurm. */
export async function isStopped(): Promise<boolean> {
  const { stopped } = await oneRow<{ stopped: boolean }>(
    database().pool,
    'SELECT NOT running AS stopped FROM policies',
  )
  return stopped
}
