import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { EngineRuntime } from '../../runtime/docker/engine-runtime'
import type { WarmLimits } from './plan-warm'

/** What the warm containers of a node need of it. */
export interface PoolHost {
  runtime: EngineRuntime
  lease: Lease
  tasksDirectory: string
  resultsLimitBytes: number | null
  warmLimits: WarmLimits
}
