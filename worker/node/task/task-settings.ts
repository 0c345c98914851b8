import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import type { JobNetworks } from '@/lib/contract/job-network'
import type { Runtime } from '../../runtime/runtime'

/** What holds for every task that a worker runs, on whichever of its nodes. */
export interface TaskSettings {
  runtime: Runtime
  tasksDirectory: string
  outputLimitBytes: number
  /** What a task may leave in /results; null: nothing of it is kept here. */
  resultsLimitBytes: number | null
  /** Where runs keep their checkpoints: on a disk that the nodes share, or runs do not find them on another node. Null: in the bucket. */
  checkpointsDirectory: string | null
  /** What the checkpoints of one run may take there. */
  checkpointsLimitBytes: number
  /** Where the tasks of jobs over several nodes reach each other. */
  jobNetworks: JobNetworks
}

/** The node that a task runs on, as the one who brings it to its end knows it. */
export interface TaskHost extends TaskSettings {
  lease: Lease
  /** False when somebody else may have been given this node's jobs. */
  leaseIsHeld(): boolean
  /** Called when a container would not die: the node takes nothing new and the task's GPUs stay held. */
  onKillFailed(task: ClaimedTask): Promise<void>
}
