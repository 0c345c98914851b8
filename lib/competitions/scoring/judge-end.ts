import { describeReason, type EndReason, endReasons, isCancelReason } from '../../contract/reasons'
import type { EntryCause } from '../contract-entries'

/** How the job of an entry, or of a scoring program, ended without being completed. */
export type JobEnd =
  | { state: 'cancelled'; detail: string }
  | { state: 'failed'; cause: EntryCause; detail: string }

/** What the program itself has done. Every other end is a fault of gpuq. */
const ownEnds: Partial<Record<EndReason, EntryCause>> = {
  exit_code: 'own_error',
  output_limit: 'own_error',
  idle_gpu: 'own_error',
  checkpoint_limit: 'own_error',
  timeout: 'time',
  out_of_memory: 'memory',
}

/** Judges the end of a job that did not complete. The detail is for the staff. */
export function judgeEnd(reason: string | null, detail: string | null): JobEnd {
  if (!isEndReason(reason)) return { state: 'failed', cause: 'system', detail: 'The job has no reason.' }
  const sentence = describeReason(reason, detail)
  if (isCancelReason(reason)) return { state: 'cancelled', detail: sentence }
  return { state: 'failed', cause: ownEnds[reason] ?? 'system', detail: sentence }
}

function isEndReason(reason: string | null): reason is EndReason {
  return reason !== null && Object.hasOwn(endReasons, reason)
}
