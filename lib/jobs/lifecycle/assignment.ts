import type { StoredSpec } from '../../contract/config/stored-spec'
import type { EndReason } from '../../contract/reasons'

/** How often a job may fail to get a place, where it says so. */
interface AssignmentLimit {
  most: number
  /** Seconds before the second attempt; doubled before each later one. */
  firstWaitS: number
}

const usualWaitS = 5
const longestWaitS = 3600

/** Null: the job waits for a place as long as it takes. */
export function assignmentLimitOf(spec: StoredSpec): AssignmentLimit | null {
  const { max_assign_attempts, assign_retry_wait } = spec
  if (max_assign_attempts === undefined) return null
  return { most: max_assign_attempts, firstWaitS: assign_retry_wait ?? usualWaitS }
}

/** How an attempt ends whose container never ran, when its place was not good. */
export const startFaults = [
  'image_unavailable',
  'workspace_unavailable',
  'node_lost',
  'internal_error',
  'peers_missing',
] as const satisfies EndReason[]

export function isStartFault(reason: EndReason): boolean {
  return (startFaults as readonly EndReason[]).includes(reason)
}

export interface AfterFailure {
  /** Seconds until the next attempt; null: there is none, and the job has failed. */
  waitS: number | null
  /** What went wrong, and which attempt it was. */
  detail: string
}

/** What becomes of a job when it failed to get a place for the `failed`-th time in a row. */
export function afterFailedAssignment(
  failed: number,
  { most, firstWaitS }: AssignmentLimit,
  because: string,
): AfterFailure {
  return {
    waitS: failed >= most ? null : Math.min(firstWaitS * 2 ** (failed - 1), longestWaitS),
    detail: `${because} That was attempt ${failed} of ${most} to give it a place.`,
  }
}
