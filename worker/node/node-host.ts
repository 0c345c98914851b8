import type { GpuReport } from '@/lib/cluster/gpus/gpu-reading'
import type { CheckerSettings } from './checks/node-checker'
import type { TaskHost } from './task/task-settings'

/** A node and its settings. */
export interface NodeHost extends Omit<TaskHost, 'onKillFailed' | 'warm'> {
  /** Reads the state of the GPUs; undefined for simulated GPUs. */
  readGpus?: () => Promise<GpuReport>
  /** It offers nothing and only accounts for what an earlier worker left. */
  endsJobs: boolean
  /** How the node checks itself; undefined for simulated nodes. */
  checker?: CheckerSettings
}
