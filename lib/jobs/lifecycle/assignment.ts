import type { StoredSpec } from '../../contract/config/stored-spec'
import type { EndReason } from '../../contract/reasons'

/** The config's limit on failed attempts to start a job on a node. */
interface AssignmentLimit {
  most: number
  /** Seconds before the second attempt; doubled before each later one. */
  firstWaitS: number
}

const defaultWaitS = 5
const longestWaitS = 3600

/** Returns null if the job waits without a limit. */
export function assignmentLimitOf(spec: StoredSpec): AssignmentLimit | null {
  const { max_assign_attempts, assign_retry_wait } = spec
  if (max_assign_attempts === undefined) return null
  return { most: max_assign_attempts, firstWaitS: assign_retry_wait ?? defaultWaitS }
}

/** Reasons of attempts whose container never ran because of the node. */
export const startFaults = [
  'image_unavailable',
  'workspace_unavailable',
  'snapshot_unavailable',
  'internet_unavailable',
  'node_lost',
  'internal_error',
  'engine_restarted',
  'peers_missing',
] as const satisfies EndReason[]

export function isStartFault(reason: EndReason): boolean {
  return (startFaults as readonly EndReason[]).includes(reason)
}

export interface AfterFailure {
  /** Seconds until the next attempt; null: there is none, and the job has failed. */
  waitS: number | null
  /** What went wrong, and the number of the attempt. */
  detail: string
}

/** Decides how a job continues after its start failed for the `failed`-th time in a row. */
export function afterFailedAssignment(
  failed: number,
  { most, firstWaitS }: AssignmentLimit,
  because: string,
): AfterFailure {
  return {
    waitS: failed >= most ? null : Math.min(firstWaitS * 2 ** (failed - 1), longestWaitS),
    detail: `${because} That was attempt ${failed} of ${most} to start the job.`,
  }
}
