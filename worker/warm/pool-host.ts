import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { ContainerRuntime } from '../runtime/container-runtime'
import type { WarmLimits } from './plan-warm'

/** What the warm containers of a node need of it. */
export interface PoolHost {
  runtime: ContainerRuntime
  lease: Lease
  tasksDirectory: string
  resultsLimitBytes: number | null
  warmLimits: WarmLimits
}
