import type { CancelReason, RequestedStop } from '../../contract/reasons'
import { channels } from '../../database/listen'
import type { Transaction } from '../../database/transaction'
import { notifyWatchers } from './announce'
import { finish } from './finish'
import type { Attempt } from './place'

/** Cancels a job that waits, or whose tasks no worker has claimed. Returns false if it has changed in the meantime. */
export function cancelUnclaimed(
  tx: Transaction,
  { jobId, attempt }: Attempt,
  reason: CancelReason,
): Promise<boolean> {
  const outcome = { reason, detail: null, exitCode: null }
  return finish(tx, jobId, { from: ['pending', 'scheduled'], attempt }, outcome)
}

/**
 * Tells the nodes of an attempt to stop its containers. An earlier request keeps its reason, unless it is a pause, after which the job
 * would continue. Returns false if the attempt is not live any more.
 */
export async function requestStop(
  tx: Transaction,
  { jobId, attempt }: Attempt,
  reason: RequestedStop,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE jobs SET cancel_requested_at = coalesce(cancel_requested_at, now()), cancel_reason = coalesce(nullif(cancel_reason, 'group_paused'), $2)
      WHERE id = $1 AND attempt = $3 AND status IN ('scheduled', 'running') RETURNING ${notifyWatchers('id')}`,
    [jobId, reason, attempt],
  )
  if (rowCount !== 1) return false
  await tx.query(
    `SELECT pg_notify($2, node_id::text) FROM tasks WHERE job_id = $1 AND status IN ('starting', 'running')`,
    [jobId, channels.node],
  )
  return true
}
