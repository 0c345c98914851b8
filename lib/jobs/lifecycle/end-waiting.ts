import { channels } from '../../database/listen'
import type { Transaction } from '../../database/transaction'
import type { Outcome } from './attempt-end'
import { finalStatusOf } from './verdict'

/** Ends a job that waits. Does nothing if it does not wait any more. */
export async function endWaitingJob(tx: Transaction, jobId: string, outcome: Outcome): Promise<void> {
  const status = finalStatusOf(outcome.reason)
  await tx.query({
    name: `end-waiting-${status}`,
    text: `UPDATE jobs SET status = $2, reason = $3, reason_detail = $4, exit_code = $5, ended_at = now(), network_index = NULL,
                  cancelled_while_waiting = $6
                    AND NOT EXISTS (SELECT 1 FROM tasks WHERE job_id = $1 AND started_at IS NOT NULL)
            WHERE id = $1 AND status = 'pending'
           RETURNING pg_notify('${channels.job}', id::text), pg_notify('${channels.queue}', id::text)`,
    values: [jobId, status, outcome.reason, outcome.detail, outcome.exitCode, status === 'cancelled'],
  })
}
