import { channels } from '../database/listen'
import type { Transaction } from '../database/transaction'
import { type CancelReason, type EndReason, endReasons } from './reasons'
import { type JobStatus, statusesBefore } from './status'

/** How one attempt ended. */
export interface Outcome {
  reason: EndReason
  /** What the reason leaves open, in a sentence. */
  detail: string | null
  exitCode: number | null
}

/** Wait before the next attempt, in seconds: doubles from one second up to five minutes. */
export function backoffSeconds(attempt: number): number {
  return Math.min(2 ** (attempt - 1), 300)
}

const verdicts = {
  finished: 'completed',
  exit_code: 'failed',
  timeout: 'failed',
  out_of_memory: 'failed',
  output_limit: 'failed',
  cancelled_by_user: 'cancelled',
  cancelled_by_admin: 'cancelled',
  image_unavailable: 'failed',
  node_lost: 'failed',
  worker_stopped: 'failed',
  preempted: 'failed',
  internal_error: 'failed',
} as const satisfies Record<EndReason, JobStatus>

interface AttemptRow {
  attempt: number
  max_retries: number
  cancel_reason: CancelReason | null
}

/**
 * Writes the one verdict of a job's attempt, or takes the job back to the queue when the system was at fault and
 * retries are left. A job whose cancel was asked for is cancelled whatever else went wrong with the system.
 *
 * Call it in the transaction that ended the attempt's task. Returns false when this attempt is not the job's live one.
 */
export async function endAttempt(
  tx: Transaction,
  jobId: string,
  attempt: number,
  outcome: Outcome,
): Promise<boolean> {
  const { rows } = await tx.query<AttemptRow>({
    name: 'end-attempt-lock',
    text: `SELECT attempt, max_retries, cancel_reason FROM jobs
            WHERE id = $1 AND attempt = $2 AND status IN ('scheduled', 'running') FOR UPDATE`,
    values: [jobId, attempt],
  })
  const [job] = rows
  if (!job) return false
  const systemFault = endReasons[outcome.reason].fault === 'system'
  const final =
    systemFault && job.cancel_reason ? { reason: job.cancel_reason, detail: null, exitCode: null } : outcome
  if (endReasons[final.reason].fault === 'system' && attempt <= job.max_retries)
    await requeue(tx, jobId, attempt, final)
  else await writeVerdict(tx, jobId, final)
  await tx.query('SELECT pg_notify($1, $3), pg_notify($2, $3)', [channels.job, channels.queue, jobId])
  return true
}

async function requeue(
  tx: Transaction,
  jobId: string,
  attempt: number,
  { reason, detail }: Outcome,
): Promise<void> {
  const because = [endReasons[reason].says, detail].filter(Boolean).join(' ')
  await tx.query(
    `UPDATE jobs SET status = 'pending', reason = 'backing_off', reason_detail = $2, started_at = NULL,
            not_before = now() + make_interval(secs => $3)
      WHERE id = $1 AND status = ANY ($4::"JobStatus"[])`,
    [jobId, because, backoffSeconds(attempt), statusesBefore('pending')],
  )
}

async function writeVerdict(tx: Transaction, jobId: string, outcome: Outcome): Promise<void> {
  const status = verdicts[outcome.reason]
  await tx.query({
    name: `verdict-${status}`,
    text: `UPDATE jobs SET status = $2, reason = $3, reason_detail = $4, exit_code = $5, ended_at = now()
            WHERE id = $1 AND status = ANY ($6::"JobStatus"[])`,
    values: [jobId, status, outcome.reason, outcome.detail, outcome.exitCode, statusesBefore(status)],
  })
}
