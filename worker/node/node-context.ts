import type { GpuReport } from '@/lib/cluster/gpus/gpu-reading'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { JobNetworks } from '@/lib/contract/job-network'
import type { ContainerRuntime } from '../runtime/container-runtime'
import type { TaskStarts } from './task/task-starts'

/** Settings that are equal for all nodes of a worker. */
export interface NodeSettings {
  runtime: ContainerRuntime
  /** The files of tasks, and beside it what features keep for tasks. Each node has its own part of it. */
  tasksDirectory: string
  outputLimitBytes: number
  /** The networks over which the tasks of a multi-node job communicate. */
  jobNetworks: JobNetworks
  /** Jobs run on while no worker runs. Then each container ends itself after its time limit. */
  keepsJobs: boolean
  /** It offers nothing and only accounts for what an earlier worker left. */
  endsJobs: boolean
}

/** A node under one lease, for the code that runs its tasks and for the hooks of features. */
export interface NodeContext extends NodeSettings {
  lease: Lease
  /** False if somebody else may have received this node's jobs. */
  leaseIsHeld(): boolean
  /** The starts of tasks that are in progress. */
  starts: TaskStarts
  /** Reads the state of the GPUs; undefined for simulated GPUs. */
  readGpus?: () => Promise<GpuReport>
}
