import type { JobNetworks } from '@/lib/cluster/job-network'
import type { Runtime } from '../runtime/runtime'

/** What holds for every task that a worker runs, on whichever of its nodes. */
export interface TaskSettings {
  runtime: Runtime
  tasksDirectory: string
  outputLimitBytes: number
  /** What a task may leave in /results; null: nothing of it is kept here. */
  resultsLimitBytes: number | null
  /** Where runs keep their checkpoints: on a disk that the nodes share, or runs do not find them on another node. */
  checkpointsDirectory: string
  /** What the checkpoints of one run may take of that disk. */
  checkpointsLimitBytes: number
  /** Where the tasks of jobs over several nodes reach each other. */
  jobNetworks: JobNetworks
}
