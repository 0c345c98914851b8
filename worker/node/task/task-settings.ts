import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import type { JobNetworks } from '@/lib/contract/job-network'
import type { ContainerRuntime } from '../../runtime/container-runtime'
import type { SnapshotCache } from '../../snapshots/snapshot-cache'
import type { WarmLimits } from '../../warm/plan-warm'
import type { WarmPool } from '../../warm/warm-pool'

/** Settings for every task of a worker, on any of its nodes. */
export interface TaskSettings {
  runtime: ContainerRuntime
  tasksDirectory: string
  outputLimitBytes: number
  /** Maximum bytes of a task's /results; null: files are not kept on this node. */
  resultsLimitBytes: number | null
  /**
   * The directory for checkpoints, on a disk that all nodes share, so that runs find them on another node. Null: the
   * bucket.
   */
  checkpointsDirectory: string | null
  /** Maximum bytes of the checkpoints of one run in that directory. */
  checkpointsLimitBytes: number
  /** The snapshots that jobs of this machine mount. */
  snapshots: SnapshotCache
  /** The networks over which the tasks of a multi-node job communicate. */
  jobNetworks: JobNetworks
  /** Jobs run on while no worker runs. Then each container ends itself after its time limit. */
  keepsJobs: boolean
  /** How many warm containers each node keeps. */
  warmLimits: WarmLimits
}

/** The node of a task, as seen by the code that runs the task. */
export interface TaskHost extends TaskSettings {
  lease: Lease
  warm: WarmPool
  /** False if somebody else may have received this node's jobs. */
  leaseIsHeld(): boolean
  /** Called if a container could not be killed: the node accepts no new tasks, and the task's GPUs stay held. */
  onKillFailed(task: ClaimedTask): Promise<void>
}
