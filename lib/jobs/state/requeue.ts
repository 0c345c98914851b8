import type { EndReason, WaitReason } from '../../contract/reasons'
import type { Transaction } from '../../database/transaction'
import { notifyLeader } from './announce'
import type { Attempt } from './place'

/** Why and how long a job waits for its next attempt. */
export interface Wait {
  reason: EndReason | WaitReason
  detail: string | null
  /** Null: the job may be placed immediately. */
  waitS: number | null
}

/**
 * Returns a job whose attempt has ended to the queue. Does nothing if that attempt is not live. Only failed starts in a row are
 * counted, so an attempt that ran resets their number.
 */
export async function requeueJob(
  tx: Transaction,
  { jobId, attempt }: Attempt,
  { reason, detail, waitS }: Wait,
  failedStarts?: number,
): Promise<void> {
  await tx.query(
    `UPDATE jobs SET status = 'pending', reason = $3, reason_detail = $4, started_at = NULL, network_index = NULL,
            not_before = now() + make_interval(secs => $5),
            assign_attempts = coalesce($6, CASE WHEN status = 'running' THEN 0 ELSE assign_attempts END)
      WHERE id = $1 AND attempt = $2 AND status IN ('scheduled', 'running') RETURNING ${notifyLeader('id')}`,
    [jobId, attempt, reason, detail, waitS, failedStarts],
  )
}

/** Lets a waiting job wait longer, because an attempt to start it failed before it had a node. */
export async function backOff(
  tx: Transaction,
  jobId: string,
  { reason, detail, waitS }: Wait,
  failedStarts?: number,
): Promise<void> {
  await tx.query(
    `UPDATE jobs SET reason = CASE WHEN held THEN reason ELSE $2 END, reason_detail = CASE WHEN held THEN reason_detail ELSE $3 END,
            not_before = now() + make_interval(secs => $4), assign_attempts = coalesce($5, assign_attempts)
      WHERE id = $1 AND status = 'pending' RETURNING ${notifyLeader('id')}`,
    [jobId, reason, detail, waitS, failedStarts],
  )
}
