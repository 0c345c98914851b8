import { type Actor, requireScope } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict } from '../../contract/errors'
import type { CancelReason } from '../../contract/reasons'
import { isFinal, type JobStatus } from '../../contract/status'
import { findRow, type Transaction, transaction } from '../../database/transaction'
import { findVisibleJob, mayChange, type VisibleJob } from '../read/job-visibility'
import { cancelUnclaimed, requestStop } from '../state/cancel'
import { releaseAllocations } from './release-allocations'

/**
 * Cancels a job. A job that waits, or whose tasks no worker has claimed, is cancelled immediately and does not count
 * against the submission limit. For a running job, its nodes are notified and stop the containers.
 * @throws 409 if the job ended in another way.
 */
export async function cancelJob(actor: Actor, jobId: string): Promise<void> {
  requireScope(actor, 'submit')
  const found = await findVisibleJob(actor, jobId)
  const { id } = found
  const reason = cancelReasonOf(actor, found)
  await transaction(async (tx) => {
    const status = await cancelLive(tx, id, reason)
    if (status === 'cancelled') return
    if (status !== null) throw conflict(`The job has already ended as ${status}. There is nothing to cancel.`)
    if (reason !== 'cancelled_by_user') {
      await recordAudit(tx, { actorId: actor.userId, action: 'job_cancelled', target: id })
    }
  })
}

/** Cancels a job that has not ended, for a reason that the caller has proven. Returns how it ended before; null: it is being cancelled now. */
export async function cancelLive(
  tx: Transaction,
  id: string,
  reason: CancelReason,
): Promise<JobStatus | null> {
  const job = await findRow<{ status: JobStatus; attempt: number }>(
    tx,
    'SELECT status, attempt FROM jobs WHERE id = $1 FOR UPDATE',
    [id],
  )
  if (!job) return 'cancelled'
  if (isFinal(job.status)) return job.status
  const waiting =
    job.status === 'pending' || (job.status === 'scheduled' && (await endUnclaimedTasks(tx, id, reason)))
  const live = { jobId: id, attempt: job.attempt }
  const done = waiting ? await cancelUnclaimed(tx, live, reason) : await requestStop(tx, live, reason)
  if (!done) throw conflict('The job has just ended. There is nothing to cancel.')
  return null
}

/** The reason of a cancelled job, which says who cancelled it. */
export function cancelReasonOf(actor: Actor, job: Pick<VisibleJob, 'userId'>): CancelReason {
  if (job.userId === actor.userId) return 'cancelled_by_user'
  return mayChange(actor, job) ? 'cancelled_by_admin' : 'cancelled_by_manager'
}

/** Ends the tasks that no worker has claimed. Returns false if a worker has claimed one. */
async function endUnclaimedTasks(tx: Transaction, jobId: string, reason: CancelReason): Promise<boolean> {
  const { rows } = await tx.query<{ id: string }>(
    `UPDATE tasks SET status = 'cancelled', reason = $2, ended_at = clock_timestamp()
      WHERE job_id = $1 AND status = 'scheduled' RETURNING id`,
    [jobId, reason],
  )
  await releaseAllocations(
    tx,
    rows.map(({ id }) => id),
  )
  const { rowCount } = await tx.query(
    `SELECT 1 FROM tasks WHERE job_id = $1 AND status IN ('starting', 'running') LIMIT 1`,
    [jobId],
  )
  return rows.length > 0 && rowCount === 0
}
