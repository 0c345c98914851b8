import { type EndReason, isCancelReason } from '../../contract/reasons'
import type { JobStatus } from '../../contract/status'
import type { Transaction } from '../../database/transaction'
import { notifyLeader } from './announce'
import type { Attempt } from './place'

/** How a job, one attempt of it, or one task of it ended. */
export interface Outcome {
  reason: EndReason
  /** Adds to the reason's sentence. */
  detail: string | null
  exitCode: number | null
}

/**
 * Ends a job whose last attempt has ended. Returns false if that attempt is not live.
 * @param failedStarts the number of its failed starts in a row, if they are counted.
 */
export function finishAttempt(
  tx: Transaction,
  { jobId, attempt }: Attempt,
  outcome: Outcome,
  failedStarts?: number,
): Promise<boolean> {
  return finish(tx, jobId, { from: ['scheduled', 'running'], attempt }, outcome, failedStarts)
}

/** Ends a job that waits. Returns false if it does not wait any more. */
export function finishWaiting(
  tx: Transaction,
  jobId: string,
  outcome: Outcome,
  failedStarts?: number,
): Promise<boolean> {
  return finish(tx, jobId, { from: ['pending'] }, outcome, failedStarts)
}

/** SQL for why the group of a job has stopped it: what it compared, and the detail of the end. */
const comparison = `nullif(concat_ws(' ', (SELECT m.stop_reason FROM group_members m WHERE m.group_id = jobs.group_id AND m.job_id = jobs.id), $4::text), '')`

/** Ends a job. Returns false if it has a status that is not in `from`, or another attempt. */
export async function finish(
  tx: Transaction,
  jobId: string,
  { from, attempt }: { from: readonly JobStatus[]; attempt?: number },
  { reason, detail, exitCode }: Outcome,
  failedStarts?: number,
): Promise<boolean> {
  const status = finalStatusOf(reason)
  const waits = status === 'cancelled' && !from.includes('running')
  const { rowCount } = await tx.query({
    name: 'finish-job',
    // The transaction may have begun before the start was recorded, and a clock can step back.
    text: `UPDATE jobs SET status = $2, reason = $3, reason_detail = CASE WHEN $3 = 'stopped_early' THEN ${comparison} ELSE $4 END, exit_code = $5,
                  ended_at = greatest(now(), started_at), network_index = NULL, assign_attempts = coalesce($6, assign_attempts),
                  cancelled_while_waiting = $7 AND NOT EXISTS (SELECT 1 FROM tasks WHERE job_id = $1 AND started_at IS NOT NULL)
            WHERE id = $1 AND status = ANY ($8::"JobStatus"[]) AND attempt = coalesce($9, attempt)
           RETURNING ${notifyLeader('id')}`,
    values: [jobId, status, reason, detail, exitCode, failedStarts, waits, from, attempt],
  })
  return rowCount === 1
}

function finalStatusOf(reason: EndReason): JobStatus {
  if (reason === 'finished') return 'completed'
  return isCancelReason(reason) ? 'cancelled' : 'failed'
}
