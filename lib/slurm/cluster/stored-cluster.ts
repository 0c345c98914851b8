import { AdaptiveCache } from '../../async/adaptive-cache'
import type { SlurmState } from '../../contract/cluster/engine'
import { database } from '../../database/client'
import { oneRow } from '../../database/transaction'
import { explainUnsubmitted } from '../../jobs/state/explain'
import type { SlurmJobState, SlurmNodeState, SlurmPartition } from '../client/slurm-client'

/** A job of another program in Slurm, as it is stored: JSON has no dates. */
export type StoredOtherJob = Omit<SlurmJobState, 'submittedAt' | 'startsAt' | 'startedAt' | 'endedAt'> &
  Record<'submittedAt' | 'startsAt' | 'startedAt' | 'endedAt', string | null>

/** The Slurm cluster as the leader last read it. */
export interface StoredSlurmCluster {
  /** When Slurm last answered; null: never, so nothing is known. */
  readAt: Date | null
  /** Why Slurm does not answer now; null: it answers. */
  problem: string | null
  version: string | null
  accounting: boolean
  nodes: SlurmNodeState[]
  partitions: SlurmPartition[]
  otherJobs: StoredOtherJob[]
}

// Next.js loads modules again for each route bundle; this keeps one cache per process.
const shared = globalThis as typeof globalThis & { gpuqSlurmCluster?: AdaptiveCache<StoredSlurmCluster> }

/** Reads the Slurm cluster. Cached, because a large cluster has megabytes. */
export function readSlurmCluster(): Promise<StoredSlurmCluster> {
  shared.gpuqSlurmCluster ??= new AdaptiveCache(() =>
    oneRow<StoredSlurmCluster>(database().pool, {
      name: 'slurm-cluster',
      text: `SELECT read_at AS "readAt", problem, version, accounting, nodes, partitions, other_jobs AS "otherJobs" FROM slurm_cluster`,
    }),
  )
  return shared.gpuqSlurmCluster.get()
}

/** Reads whether Slurm answers, as the API shows it. */
export function readSlurmState(): Promise<SlurmState> {
  return oneRow<SlurmState>(database().pool, {
    name: 'slurm-state',
    text: 'SELECT version, problem, rfc3339(read_at) AS read_at FROM slurm_cluster',
  })
}

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
