import type { EndReason } from '../../contract/reasons'
import type { TaskStatus } from '../../contract/status'
import { transaction } from '../../database/transaction'
import type { Outcome } from '../../jobs/lifecycle/attempt-end'
import { releaseAllocations } from '../../jobs/lifecycle/release-allocations'
import { endAttempt, lockAttempt } from '../../jobs/lifecycle/verdict'
import { logger } from '../../logger'
import { noteNodeHealth } from '../nodes/node-health'
import { type Lease, leaseHeld } from '../nodes/nodes'
import { dispatchDirectly, lockForDispatch } from '../placement/direct-dispatch'
import { type ClaimedTask, Fenced } from './tasks'

const taskStatusOf = ({ reason }: Outcome): TaskStatus => {
  if (reason === 'finished') return 'completed'
  const unwanted: readonly EndReason[] = ['cancelled_by_user', 'cancelled_by_admin', 'peer_failed']
  return unwanted.includes(reason) ? 'cancelled' : 'failed'
}

/**
 * The task has ended: gives its GPUs back unless `keepGpus` (its container would not die), and to the next job at once,
 * and writes the job's verdict if none of its tasks is left.
 */
export async function finishTask(
  lease: Lease,
  task: ClaimedTask,
  outcome: Outcome,
  keepGpus = false,
): Promise<void> {
  try {
    await endTask(lease, task, outcome, keepGpus ? 'keep' : 'hand over')
  } catch (error) {
    if (!(error instanceof HandOverFailed)) throw error
    logger.error({ err: error.cause, task: task.id }, 'what a task gave back could not be handed over')
    await endTask(lease, task, outcome, 'release')
  }
}

/** What happens to the GPUs of a task that ends. */
type AfterEnd = 'keep' | 'release' | 'hand over'

/** Whatever is wrong with the next job, this one ends. */
class HandOverFailed extends Error {}

async function endTask(lease: Lease, task: ClaimedTask, outcome: Outcome, after: AfterEnd): Promise<void> {
  await transaction(async (tx) => {
    // The node's row first, then the job's, then the task's, as everyone locks them.
    const { candidates: line, failuresInRow } = await lockForDispatch(tx, lease.nodeId)
    await noteNodeHealth(tx, lease, task, outcome, failuresInRow)
    const live = await lockAttempt(tx, task.jobId, task.attempt)
    const { reason, detail, exitCode } = outcome
    const { rowCount } = await tx.query({
      name: 'finish-task',
      // Not when the transaction began: which of a job's tasks ended first, the lock on the job has decided.
      text: `UPDATE tasks SET status = $4, reason = $5, detail = $6, exit_code = $7, ended_at = clock_timestamp()
              WHERE id = $3 AND node_id = $1 AND status IN ('starting', 'running') AND ${leaseHeld}`,
      values: [lease.nodeId, lease.leaseId, task.id, taskStatusOf(outcome), reason, detail, exitCode],
    })
    if (rowCount !== 1) throw new Fenced(task.id)
    if (live) await endAttempt(tx, live)
    if (after === 'keep') return
    await releaseAllocations(tx, [task.id])
    if (after === 'release') return
    // Not to the job itself: one that goes back to the queue has to be looked at first.
    const jobIds = line.jobIds.filter((id) => id !== task.jobId)
    await dispatchDirectly(tx, lease.nodeId, { ...line, jobIds }).catch((cause: unknown) => {
      throw new HandOverFailed('hand over', { cause })
    })
  })
}
