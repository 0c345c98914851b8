import type { Run } from '@/lib/cluster/checkpoints/runs'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import type { LocalCheckpoints } from './local-checkpoints'

/** The checkpoints of a running task that a worker stores in the bucket. */
export interface KeptCheckpoints {
  lease: Lease
  task: ClaimedTask
  run: Run
  local: LocalCheckpoints
  /** Maximum bytes of the run's checkpoints. */
  limitBytes: number
  /** Aborted when this worker may do nothing more. */
  abandoned: AbortSignal
  /** Writes a message to the job's output. */
  note: (text: string) => void
  onOver: () => void
}
