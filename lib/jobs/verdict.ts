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
  max_retries: number
  cancel_reason: CancelReason | null
  auto_retry: boolean
  /** Attempts that made room for other jobs: they are not counted as tries. */
  preempted: number
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
    text: `SELECT max_retries, cancel_reason, (SELECT enable_auto_retry FROM policies) AS auto_retry,
                  (SELECT count(DISTINCT attempt)::int FROM tasks WHERE job_id = $1 AND reason = 'preempted') AS preempted
             FROM jobs WHERE id = $1 AND attempt = $2 AND status IN ('scheduled', 'running') FOR UPDATE`,
    values: [jobId, attempt],
  })
  const [job] = rows
  if (!job) return false
  const systemFault = endReasons[outcome.reason].fault === 'system'
  const final =
    systemFault && job.cancel_reason ? { reason: job.cancel_reason, detail: null, exitCode: null } : outcome
  const tries = attempt - job.preempted
  if (mayRetry(final.reason, tries, job)) await requeue(tx, jobId, tries, final)
  else await writeVerdict(tx, jobId, final)
  await tx.query('SELECT pg_notify($1, $3), pg_notify($2, $3)', [channels.job, channels.queue, jobId])
  return true
}

/** What the cluster itself took away goes back to the queue; what failed does while the policy and the job allow it. */
function mayRetry(reason: EndReason, tries: number, job: AttemptRow): boolean {
  if (reason === 'preempted') return true
  if (endReasons[reason].fault !== 'system' || tries > job.max_retries) return false
  return job.auto_retry || reason === 'worker_stopped'
}

async function requeue(
  tx: Transaction,
  jobId: string,
  tries: number,
  { reason, detail }: Outcome,
): Promise<void> {
  // Whoever made room did nothing wrong: there is nothing to wait for.
  const wait = reason === 'preempted' ? null : backoffSeconds(tries)
  const because = [endReasons[reason].says, detail].filter(Boolean).join(' ')
  await tx.query(
    `UPDATE jobs SET status = 'pending', reason = $5, reason_detail = $2, started_at = NULL, network_index = NULL,
            not_before = now() + make_interval(secs => $3)
      WHERE id = $1 AND status = ANY ($4::"JobStatus"[])`,
    [
      jobId,
      wait === null ? detail : because,
      wait,
      statusesBefore('pending'),
      wait === null ? reason : 'backing_off',
    ],
  )
}

async function writeVerdict(tx: Transaction, jobId: string, outcome: Outcome): Promise<void> {
  const status = verdicts[outcome.reason]
  await tx.query({
    name: `verdict-${status}`,
    text: `UPDATE jobs SET status = $2, reason = $3, reason_detail = $4, exit_code = $5, ended_at = now(), network_index = NULL
            WHERE id = $1 AND status = ANY ($6::"JobStatus"[])`,
    values: [jobId, status, outcome.reason, outcome.detail, outcome.exitCode, statusesBefore(status)],
  })
}
