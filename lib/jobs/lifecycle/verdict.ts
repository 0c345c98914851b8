import { backoff } from '../../async/retry'
import { parseSpec, type StoredSpec, type Unparsed } from '../../contract/config/stored-spec'
import { type CancelReason, describeReason, type EndReason, endReasons } from '../../contract/reasons'
import { type JobStatus, liveTaskStatuses, statusesBefore, type TaskStatus } from '../../contract/status'
import { channels } from '../../database/listen'
import type { Transaction } from '../../database/transaction'
import { afterFailedAssignment, assignmentLimitOf, isStartFault, startFaults } from './assignment'
import { type EndedTask, judgeAttempt, type Outcome } from './attempt-end'

/** Wait before the next attempt, in seconds: doubles from one second up to five minutes. */
export function backoffSeconds(attempt: number): number {
  return backoff(attempt, 1, 300)
}

const verdicts = {
  finished: 'completed',
  exit_code: 'failed',
  timeout: 'failed',
  out_of_memory: 'failed',
  output_limit: 'failed',
  checkpoint_limit: 'failed',
  cancelled_by_user: 'cancelled',
  cancelled_by_admin: 'cancelled',
  image_unavailable: 'failed',
  workspace_unavailable: 'failed',
  node_lost: 'failed',
  worker_stopped: 'failed',
  preempted: 'failed',
  peers_missing: 'failed',
  peer_failed: 'failed',
  not_provisioned: 'failed',
  internal_error: 'failed',
  not_assignable: 'failed',
} as const satisfies Record<EndReason, JobStatus>

/** A job's live attempt, the job's row locked. */
interface LiveAttempt {
  jobId: string
  attempt: number
  maxRetries: number
  cancelReason: CancelReason | null
  cancelledAt: Date | null
  autoRetry: boolean
  status: JobStatus
  spec: StoredSpec
  assignAttempts: number
}

/**
 * Locks a job for the end of one of its tasks, before the task's own row, as everyone does who locks both. Null when the
 * attempt is not the job's live one: what becomes of its tasks is nothing to the job.
 */
export async function lockAttempt(
  tx: Transaction,
  jobId: string,
  attempt: number,
): Promise<LiveAttempt | null> {
  const { rows } = await tx.query<Unparsed<LiveAttempt>>({
    name: 'lock-attempt',
    text: `SELECT id AS "jobId", attempt, max_retries AS "maxRetries", cancel_reason AS "cancelReason",
                  cancel_requested_at AS "cancelledAt", (SELECT enable_auto_retry FROM policies) AS "autoRetry",
                  status, spec, assign_attempts AS "assignAttempts"
             FROM jobs WHERE id = $1 AND attempt = $2 AND status IN ('scheduled', 'running') FOR UPDATE`,
    values: [jobId, attempt],
  })
  return rows.map(parseSpec)[0] ?? null
}

/**
 * Tasks of an attempt have ended. Once all have, writes the one verdict of the job, or takes it back to the queue when
 * the system was at fault and retries are left. Until then no new attempt begins beside what still runs of this one:
 * where a task ended otherwise than well, the nodes of the others are woken, and stop them.
 *
 * Call it in the transaction that ended the tasks, with what {@link lockAttempt} gave.
 */
export async function endAttempt(tx: Transaction, live: LiveAttempt): Promise<void> {
  const { jobId, attempt, cancelReason, cancelledAt } = live
  const { tasks, uncounted } = await readTasks(tx, live)
  const ended = tasks.flatMap(({ status, ...task }) => (isLive(status) ? [] : [task]))
  if (ended.length < tasks.length) {
    if (ended.some(({ reason }) => reason !== 'finished')) await wakePeers(tx, jobId, attempt)
    await tx.query(`SELECT ${notifyOf('$1')}`, [jobId])
  } else {
    const cancel = cancelReason && cancelledAt ? { reason: cancelReason, at: cancelledAt } : null
    await conclude(tx, live, judgeAttempt(ended, cancel), attempt - uncounted)
  }
}

/** Wakes who watches a job, and the scheduler: in the statement that changes the job, for the sake of its GPUs' next job. */
function notifyOf(jobId: string): string {
  return `pg_notify('${channels.job}', ${jobId}::text), pg_notify('${channels.queue}', ${jobId}::text)`
}

async function conclude(tx: Transaction, live: LiveAttempt, outcome: Outcome, tries: number): Promise<void> {
  const { jobId, status, spec, assignAttempts, autoRetry } = live
  const failedStart = status === 'scheduled' && isStartFault(outcome.reason) && autoRetry
  const limit = failedStart ? assignmentLimitOf(spec) : null
  if (limit) {
    const failed = assignAttempts + 1
    const { waitS, detail } = afterFailedAssignment(
      failed,
      limit,
      describeReason(outcome.reason, outcome.detail),
    )
    if (waitS === null) await writeVerdict(tx, jobId, { reason: 'not_assignable', detail, exitCode: null })
    else await requeue(tx, jobId, { reason: 'backing_off', detail, waitS })
    await tx.query('UPDATE jobs SET assign_attempts = $2 WHERE id = $1', [jobId, failed])
  } else if (mayRetry(outcome.reason, tries, live)) await requeue(tx, jobId, returnOf(outcome, tries))
  else await writeVerdict(tx, jobId, outcome)
}

interface TaskRow extends EndedTask {
  status: TaskStatus
  uncounted: number
}

const isLive = (status: TaskStatus) => (liveTaskStatuses as readonly TaskStatus[]).includes(status)

/**
 * The attempt's tasks, and how many attempts of the job are not counted as tries: they made room for other jobs, or count
 * as attempts to get a place.
 */
async function readTasks(
  tx: Transaction,
  { jobId, attempt }: LiveAttempt,
): Promise<{ tasks: TaskRow[]; uncounted: number }> {
  const { rows } = await tx.query<TaskRow>({
    name: 'tasks-of-attempt',
    text: `SELECT t.rank, n.name AS node, t.status, t.reason, t.detail, t.exit_code AS "exitCode", t.ended_at AS "endedAt",
                  t.preempted_at AS "preemptedAt", (SELECT count(*)::int FROM (
                    SELECT 1 FROM tasks WHERE job_id = $1 GROUP BY attempt
                    HAVING bool_or(reason = 'preempted') OR (j.spec ? 'max_assign_attempts'
                           AND bool_and(started_at IS NULL) AND bool_or(reason = ANY ($3::text[])))) AS a) AS uncounted
             FROM tasks t JOIN nodes n ON n.id = t.node_id JOIN jobs j ON j.id = t.job_id
            WHERE t.job_id = $1 AND t.attempt = $2`,
    values: [jobId, attempt, startFaults],
  })
  return { tasks: rows, uncounted: rows[0]?.uncounted ?? 0 }
}

async function wakePeers(tx: Transaction, jobId: string, attempt: number): Promise<void> {
  await tx.query(
    `SELECT pg_notify($3, node_id::text) FROM tasks
      WHERE job_id = $1 AND attempt = $2 AND status IN ('scheduled', 'starting', 'running')`,
    [jobId, attempt, channels.node],
  )
}

/** What the cluster itself took away goes back to the queue; what failed does while the policy and the job allow it. */
function mayRetry(reason: EndReason, tries: number, live: LiveAttempt): boolean {
  if (reason === 'preempted') return true
  if (endReasons[reason].fault !== 'system' || tries > live.maxRetries) return false
  return live.autoRetry || reason === 'worker_stopped'
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
  return {
    reason: 'backing_off',
    detail: describeReason(outcome.reason, outcome.detail),
    waitS: backoffSeconds(tries),
  }
}

/** Attempts to get a place are counted in a row: one that ran begins a new one. */
async function requeue(tx: Transaction, jobId: string, { reason, detail, waitS }: Return): Promise<void> {
  await tx.query(
    `UPDATE jobs SET status = 'pending', reason = $2, reason_detail = $3, started_at = NULL, network_index = NULL,
            not_before = now() + make_interval(secs => $4),
            assign_attempts = CASE WHEN status = 'running' THEN 0 ELSE assign_attempts END
      WHERE id = $1 AND status = ANY ($5::"JobStatus"[]) RETURNING ${notifyOf('id')}`,
    [jobId, reason, detail, waitS, statusesBefore('pending')],
  )
}

async function writeVerdict(tx: Transaction, jobId: string, outcome: Outcome): Promise<void> {
  const status = verdicts[outcome.reason]
  await tx.query({
    name: `verdict-${status}`,
    text: `UPDATE jobs SET status = $2, reason = $3, reason_detail = $4, exit_code = $5, ended_at = now(), network_index = NULL
            WHERE id = $1 AND status = ANY ($6::"JobStatus"[]) RETURNING ${notifyOf('id')}`,
    values: [jobId, status, outcome.reason, outcome.detail, outcome.exitCode, statusesBefore(status)],
  })
}
