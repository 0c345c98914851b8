import { AdaptiveCache } from '../../async/adaptive-cache'
import { database } from '../../database/client'
import { oneRow } from '../../database/transaction'
import type { SlurmJobState, SlurmNodeState, SlurmPartition } from '../../slurm/slurm-client'

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

/** Whether Slurm answers, without the lists. */
export type StoredSlurmState = Pick<StoredSlurmCluster, 'readAt' | 'problem' | 'version'>

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

/** Reads whether Slurm answers. */
export function readSlurmState(): Promise<StoredSlurmState> {
  return oneRow<StoredSlurmState>(database().pool, {
    name: 'slurm-state',
    text: 'SELECT read_at AS "readAt", problem, version FROM slurm_cluster',
  })
}
