import { channels } from '../database/listen'
import type { Transaction } from '../database/transaction'
import { afterFailedAssignment, assignmentLimitOf, isStartFault, startFaults } from './assignment'
import { type CancelReason, type EndReason, endReasons } from './reasons'
import { type JobStatus, statusesBefore } from './status'
import { storedSpecSchema } from './stored-spec'

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
  not_assignable: 'failed',
} as const satisfies Record<EndReason, JobStatus>

interface AttemptRow {
  max_retries: number
  cancel_reason: CancelReason | null
  auto_retry: boolean
  /** Attempts that made room for other jobs, or count as attempts to get a place: they are not counted as tries. */
  uncounted: number
  status: JobStatus
  spec: unknown
  assign_attempts: number
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
                  status, spec, assign_attempts, (SELECT count(*)::int FROM (
                    SELECT 1 FROM tasks WHERE job_id = $1 GROUP BY attempt
                    HAVING bool_or(reason = 'preempted') OR (jobs.spec ? 'max_assign_attempts'
                           AND bool_and(started_at IS NULL) AND bool_or(reason = ANY ($3::text[])))) AS t) AS uncounted
             FROM jobs WHERE id = $1 AND attempt = $2 AND status IN ('scheduled', 'running') FOR UPDATE`,
    values: [jobId, attempt, startFaults],
  })
  const [job] = rows
  if (!job) return false
  const systemFault = endReasons[outcome.reason].fault === 'system'
  const final =
    systemFault && job.cancel_reason ? { reason: job.cancel_reason, detail: null, exitCode: null } : outcome
  const tries = attempt - job.uncounted
  const failedStart = job.status === 'scheduled' && isStartFault(final.reason) && job.auto_retry
  const limit = failedStart ? assignmentLimitOf(storedSpecSchema.parse(job.spec)) : null
  if (limit) {
    const failed = job.assign_attempts + 1
    const { waitS, detail } = afterFailedAssignment(failed, limit, because(final))
    if (waitS === null) await writeVerdict(tx, jobId, { reason: 'not_assignable', detail, exitCode: null })
    else await requeue(tx, jobId, { reason: 'backing_off', detail, waitS })
    await tx.query('UPDATE jobs SET assign_attempts = $2 WHERE id = $1', [jobId, failed])
  } else if (mayRetry(final.reason, tries, job)) await requeue(tx, jobId, returnOf(final, tries))
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

function because({ reason, detail }: Outcome): string {
  return [endReasons[reason].says, detail].filter(Boolean).join(' ')
}

/** How a job goes back to the queue. */
interface Return {
  reason: EndReason | 'backing_off'
  detail: string | null
  /** Null: it may be placed at once. */
  waitS: number | null
}

/** Whoever made room did nothing wrong: there is nothing to wait for. */
function returnOf(outcome: Outcome, tries: number): Return {
  if (outcome.reason === 'preempted') return { ...outcome, waitS: null }
  return { reason: 'backing_off', detail: because(outcome), waitS: backoffSeconds(tries) }
}

/** Attempts to get a place are counted in a row: one that ran begins a new one. */
async function requeue(tx: Transaction, jobId: string, { reason, detail, waitS }: Return): Promise<void> {
  await tx.query(
    `UPDATE jobs SET status = 'pending', reason = $2, reason_detail = $3, started_at = NULL, network_index = NULL,
            not_before = now() + make_interval(secs => $4),
            assign_attempts = CASE WHEN status = 'running' THEN 0 ELSE assign_attempts END
      WHERE id = $1 AND status = ANY ($5::"JobStatus"[])`,
    [jobId, reason, detail, waitS, statusesBefore('pending')],
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
