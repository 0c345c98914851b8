import { backoff } from '../../async/backoff'
import { parseSpec, type StoredSpec, type Unparsed } from '../../contract/config/stored-spec'
import {
  describeReason,
  type EndReason,
  endReasons,
  isCancelReason,
  type RequestedStop,
} from '../../contract/reasons'
import { type JobStatus, liveTaskStatuses, statusesBefore, type TaskStatus } from '../../contract/status'
import { channels } from '../../database/listen'
import { findRow, type Transaction } from '../../database/transaction'
import { afterFailedAssignment, assignmentLimitOf, isStartFault, startFaults } from './assignment'
import { type EndedTask, judgeAttempt, type Outcome } from './attempt-end'

/** Seconds before the next attempt: doubles from one second to five minutes. */
export function backoffSeconds(attempt: number): number {
  return backoff(attempt, 1, 300)
}

/** The final status that belongs to a reason. */
export function finalStatusOf(reason: EndReason): JobStatus {
  if (reason === 'finished') return 'completed'
  return isCancelReason(reason) ? 'cancelled' : 'failed'
}

/** A job's live attempt. The job's row is locked. */
interface LiveAttempt {
  jobId: string
  attempt: number
  maxRetries: number
  cancelReason: RequestedStop | null
  cancelledAt: Date | null
  autoRetry: boolean
  status: JobStatus
  spec: StoredSpec
  assignAttempts: number
}

/**
 * Locks a job for the end of one of its tasks. Call it before locking the task's row: all code locks jobs before tasks.
 * Returns null if the attempt is not the live one: then its tasks no longer affect the job.
 */
export async function lockAttempt(
  tx: Transaction,
  jobId: string,
  attempt: number,
): Promise<LiveAttempt | null> {
  const row = await findRow<Unparsed<LiveAttempt>>(tx, {
    name: 'lock-attempt',
    text: `SELECT id AS "jobId", attempt, max_retries AS "maxRetries", cancel_reason AS "cancelReason",
                  cancel_requested_at AS "cancelledAt", (SELECT enable_auto_retry FROM policies) AS "autoRetry",
                  status, spec, assign_attempts AS "assignAttempts"
             FROM jobs WHERE id = $1 AND attempt = $2 AND status IN ('scheduled', 'running') FOR UPDATE`,
    values: [jobId, attempt],
  })
  return row && parseSpec(row)
}

/**
 * Call it when tasks of an attempt have ended, in the same transaction, with the result of {@link lockAttempt}. When all
 * tasks have ended, it writes the job's final status, or requeues the job if the system was at fault and retries are
 * left. Until then no new attempt starts, so that two attempts never run at the same time. If a task did not complete,
 * it notifies the nodes of the other tasks, which stop them.
 */
export async function endAttempt(tx: Transaction, live: LiveAttempt): Promise<void> {
  const { jobId, attempt, cancelReason, cancelledAt } = live
  const { tasks, uncounted } = await readTasks(tx, live)
  const ended = tasks.flatMap(({ status, ...task }) => (isLive(status) ? [] : [task]))
  if (ended.length < tasks.length) {
    if (ended.some(({ reason }) => reason !== 'finished')) await notifyPeers(tx, jobId, attempt)
    await tx.query(`SELECT ${notifyOf('$1')}`, [jobId])
  } else {
    const cancel = cancelReason && cancelledAt ? { reason: cancelReason, at: cancelledAt } : null
    await conclude(tx, live, judgeAttempt(ended, cancel), attempt - uncounted)
  }
}

/**
 * SQL that notifies the job's watchers and the scheduler. It is part of the UPDATE: a second statement would delay the
 * GPUs' next job.
 */
function notifyOf(jobId: string): string {
  return `pg_notify('${channels.job}', ${jobId}::text), pg_notify('${channels.queue}', ${jobId}::text)`
}

async function conclude(tx: Transaction, live: LiveAttempt, outcome: Outcome, tries: number): Promise<void> {
  const { jobId, status, spec, assignAttempts, autoRetry } = live
  const failedStart = status === 'scheduled' && isStartFault(outcome.reason) && autoRetry
  const limit = failedStart ? assignmentLimitOf(spec) : null
  if (limit) {
    const failed = assignAttempts + 1
    const cause = describeReason(outcome.reason, outcome.detail)
    const { waitS, detail } = afterFailedAssignment(failed, limit, cause)
    if (waitS === null) await writeVerdict(tx, jobId, { reason: 'not_assignable', detail, exitCode: null })
    else await requeue(tx, jobId, { reason: 'backing_off', detail, waitS })
    await tx.query('UPDATE jobs SET assign_attempts = $2 WHERE id = $1', [jobId, failed])
  } else if (mayRetry(outcome.reason, tries, live)) await requeue(tx, jobId, requeueOf(outcome, tries))
  else await writeVerdict(tx, jobId, outcome)
}

interface TaskRow extends EndedTask {
  status: TaskStatus
  uncounted: number
}

const isLive = (status: TaskStatus) => (liveTaskStatuses as readonly TaskStatus[]).includes(status)

/**
 * Reads the attempt's tasks, and the number of the job's attempts that do not count as tries: those in which nothing failed, and
 * failed starts that `max_assign_attempts` counts.
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
                    HAVING bool_or(reason = ANY ($4::text[])) OR (j.spec ? 'max_assign_attempts'
                           AND bool_and(started_at IS NULL) AND bool_or(reason = ANY ($3::text[])))) AS a) AS uncounted
             FROM tasks t JOIN nodes n ON n.id = t.node_id JOIN jobs j ON j.id = t.job_id
            WHERE t.job_id = $1 AND t.attempt = $2`,
    values: [jobId, attempt, startFaults, nothingFailed],
  })
  return { tasks: rows, uncounted: rows[0]?.uncounted ?? 0 }
}

async function notifyPeers(tx: Transaction, jobId: string, attempt: number): Promise<void> {
  await tx.query(
    `SELECT pg_notify($3, node_id::text) FROM tasks
      WHERE job_id = $1 AND attempt = $2 AND status IN ('scheduled', 'starting', 'running')`,
    [jobId, attempt, channels.node],
  )
}

/** Reasons of attempts that ended although nothing failed. They do not count as tries, and the job does not wait. */
const nothingFailed: readonly EndReason[] = ['preempted', 'slurm_requeued', 'worker_stopped']

/** A preempted or stopped job is always requeued. A failed one is requeued while the policy and the job's retries allow it. */
function mayRetry(reason: EndReason, tries: number, live: LiveAttempt): boolean {
  if (nothingFailed.includes(reason)) return true
  if (endReasons[reason].fault !== 'system' || tries > live.maxRetries) return false
  return live.autoRetry || reason === 'engine_restarted'
}

/** How a job is requeued. */
interface Requeue {
  reason: EndReason | 'backing_off'
  detail: string | null
  /** Null: the job may be placed immediately. */
  waitS: number | null
}

function requeueOf(outcome: Outcome, tries: number): Requeue {
  if (nothingFailed.includes(outcome.reason)) return { ...outcome, waitS: null }
  return {
    reason: 'backing_off',
    detail: describeReason(outcome.reason, outcome.detail),
    waitS: backoffSeconds(tries),
  }
}

/** Only failed starts in a row are counted, so an attempt that ran resets the count. */
async function requeue(tx: Transaction, jobId: string, { reason, detail, waitS }: Requeue): Promise<void> {
  await tx.query(
    `UPDATE jobs SET status = 'pending', reason = $2, reason_detail = $3, started_at = NULL, network_index = NULL,
            not_before = now() + make_interval(secs => $4),
            assign_attempts = CASE WHEN status = 'running' THEN 0 ELSE assign_attempts END
      WHERE id = $1 AND status = ANY ($5::"JobStatus"[]) RETURNING ${notifyOf('id')}`,
    [jobId, reason, detail, waitS, statusesBefore('pending')],
  )
}

async function writeVerdict(tx: Transaction, jobId: string, outcome: Outcome): Promise<void> {
  const status = finalStatusOf(outcome.reason)
  await tx.query({
    name: `verdict-${status}`,
    // The transaction may have begun before the start was recorded, and a clock can step back.
    text: `UPDATE jobs SET status = $2, reason = $3, reason_detail = $4, exit_code = $5,
                  ended_at = greatest(now(), started_at), network_index = NULL
            WHERE id = $1 AND status = ANY ($6::"JobStatus"[]) RETURNING ${notifyOf('id')}`,
    values: [jobId, status, outcome.reason, outcome.detail, outcome.exitCode, statusesBefore(status)],
  })
}
