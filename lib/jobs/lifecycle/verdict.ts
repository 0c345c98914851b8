import { backoff } from '../../async/backoff'
import { parseSpec, type StoredSpec, type Unparsed } from '../../contract/config/stored-spec'
import { describeReason, type EndReason, endReasons, type RequestedStop } from '../../contract/reasons'
import { type JobStatus, liveTaskStatuses, type TaskStatus } from '../../contract/status'
import { channels } from '../../database/listen'
import { findRow, oneRow, type Transaction } from '../../database/transaction'
import { hasCheckpoints } from '../read/has-checkpoints'
import { notifyLeader } from '../state/announce'
import { finishAttempt, type Outcome } from '../state/finish'
import { pauseAttempt } from '../state/pause'
import { requeueJob, type Wait } from '../state/requeue'
import { afterFailedAssignment, assignmentLimitOf, isStartFault, startFaults } from './assignment'
import { type EndedTask, judgeAttempt } from './attempt-end'

/** Seconds before the next attempt: doubles from one second to five minutes. */
export function backoffSeconds(attempt: number): number {
  return backoff(attempt, 1, 300)
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
    await tx.query(`SELECT ${notifyLeader('$1')}`, [jobId])
  } else {
    const cancel = cancelReason && cancelledAt ? { reason: cancelReason, at: cancelledAt } : null
    await conclude(tx, live, judgeAttempt(ended, cancel), attempt - uncounted)
  }
}

async function conclude(tx: Transaction, live: LiveAttempt, outcome: Outcome, tries: number): Promise<void> {
  const { status, spec, assignAttempts, autoRetry } = live
  const failedStart = status === 'scheduled' && isStartFault(outcome.reason) && autoRetry
  const limit = failedStart ? assignmentLimitOf(spec) : null
  if (outcome.reason === 'group_paused') await pause(tx, live)
  else if (limit) {
    const failed = assignAttempts + 1
    const cause = describeReason(outcome.reason, outcome.detail)
    const { waitS, detail } = afterFailedAssignment(failed, limit, cause)
    const end = { reason: 'not_assignable', detail, exitCode: null } as const
    if (waitS === null) await finishAttempt(tx, live, end, failed)
    else await requeueJob(tx, live, { reason: 'backing_off', detail, waitS }, failed)
  } else if (mayRetry(outcome, tries, live)) await requeueJob(tx, live, waitOf(outcome, tries, spec))
  else await finishAttempt(tx, live, outcome)
}

/** Keeps a job that its group has paused for its next attempt. Without a checkpoint, that would begin again: then the job ends. */
async function pause(tx: Transaction, live: LiveAttempt): Promise<void> {
  const { found } = await oneRow<{ found: boolean }>(tx, {
    name: 'job-has-checkpoints',
    text: `SELECT ${hasCheckpoints('j.named_run_id')} AS found FROM jobs j WHERE j.id = $1`,
    values: [live.jobId],
  })
  if (found) await pauseAttempt(tx, live)
  else {
    const detail = 'It had no checkpoint from which it could continue later.'
    await finishAttempt(tx, live, { reason: 'stopped_early', detail, exitCode: null })
  }
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
const nothingFailed: readonly EndReason[] = ['preempted', 'group_paused', 'slurm_requeued', 'worker_stopped']

/**
 * A preempted or stopped job is always requeued. One that failed by a fault of the system, or in a way that its `retry_on` names, is
 * requeued while the policy and its retries allow it.
 */
function mayRetry(outcome: Outcome, tries: number, live: LiveAttempt): boolean {
  const { reason } = outcome
  const { maxRetries, autoRetry, spec, cancelReason } = live
  if (nothingFailed.includes(reason)) return true
  if (tries > maxRetries) return false
  if (endReasons[reason].fault !== 'system')
    return autoRetry && cancelReason === null && isNamed(outcome, spec)
  return autoRetry || reason === 'engine_restarted'
}

/** Whether `retry_on` names an end: its reason, or its exit code unless gpuq stopped the program. */
function isNamed({ reason, exitCode }: Outcome, { retry_on: named }: StoredSpec): boolean {
  const isOwnEnd = reason === 'exit_code' || reason === 'out_of_memory'
  return named.includes(reason) || (isOwnEnd && named.includes(String(exitCode)))
}

function waitOf(outcome: Outcome, tries: number, spec: StoredSpec): Wait {
  if (nothingFailed.includes(outcome.reason)) return { ...outcome, waitS: null }
  const cause = describeReason(outcome.reason, outcome.detail)
  return {
    reason: 'backing_off',
    detail: isNamed(outcome, spec) ? `${cause} It is tried again, because retry_on names this.` : cause,
    waitS: backoffSeconds(tries),
  }
}
