import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { oneRow } from '../../database/transaction'
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
  await setUnsubmittedReason('slurm_unreachable')
}

/** Whether an admin stopped the scheduler: then no job is submitted to Slurm. */
export async function isStopped(): Promise<boolean> {
  const { stopped } = await oneRow<{ stopped: boolean }>(
    database().pool,
    'SELECT NOT running AS stopped FROM policies',
  )
  return stopped
}

/** Tells the jobs that wait and are not in Slurm why. */
export async function setUnsubmittedReason(
  reason: 'slurm_unreachable' | 'slurm_submitting' | 'stopped',
): Promise<void> {
  await database().pool.query({
    name: 'set-unsubmitted-reason',
    text: `UPDATE jobs SET reason = $1, reason_detail = NULL
            WHERE status = 'pending' AND NOT held AND (not_before IS NULL OR not_before <= now())
              AND reason IS DISTINCT FROM $1
              AND NOT EXISTS (SELECT 1 FROM slurm_jobs s WHERE s.job_id = jobs.id AND s.ended_at IS NULL AND s.slurm_id IS NOT NULL)
           RETURNING pg_notify('${channels.job}', id::text)`,
    values: [reason],
  })
}
