import { isCancelReason } from '../../contract/reasons'
import type { TaskStatus } from '../../contract/status'
import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { keyedTransaction, transaction } from '../../database/transaction'
import { releaseAllocations } from '../../jobs/lifecycle/release-allocations'
import { endAttempt, lockAttempt } from '../../jobs/lifecycle/verdict'
import type { Outcome } from '../../jobs/state/finish'
import { logger, traceStep } from '../../logger'
import { updateNodeHealth } from '../nodes/node-health'
import { type Lease, LeaseLost } from '../nodes/nodes'
import { dispatchDirectly, lockForDispatch } from '../placement/direct-dispatch'
import { type ClaimedTask, taskHeld, writeTask } from './tasks'

const taskStatusOf = ({ reason }: Outcome): TaskStatus => {
  if (reason === 'finished') return 'completed'
  return isCancelReason(reason) || reason === 'peer_failed' || reason === 'group_paused'
    ? 'cancelled'
    : 'failed'
}

/**
 * Records the end of a task. Releases its GPUs, and starts the next candidate on them, unless `keepGpus` is set
 * because its container could not be killed. Writes the job's result if no task of the job is left.
 */
export async function finishTask(
  lease: Lease,
  task: ClaimedTask,
  outcome: Outcome,
  keepGpus = false,
): Promise<void> {
  try {
    await endTask(lease, task, outcome, keepGpus ? 'keep' : 'dispatch')
  } catch (error) {
    if (!(error instanceof DispatchFailed)) throw error
    logger.error(
      { err: error.cause, task: task.id },
      'could not start the next job on released GPUs; the leader will place it',
    )
    await endTask(lease, task, outcome, 'release')
  }
  traceStep('ended', task.jobId)
}

/** What happens to the GPUs of an ended task. */
type AfterEnd = 'keep' | 'release' | 'dispatch'

/** A failure to start the next job must not prevent this one from ending. */
class DispatchFailed extends Error {}

async function endTask(lease: Lease, task: ClaimedTask, outcome: Outcome, after: AfterEnd): Promise<void> {
  await keyedTransaction(async (tx) => {
    // Lock order: node, job, task, as everywhere.
    const { candidates, suspect } = await lockForDispatch(tx, lease.nodeId)
    await updateNodeHealth(tx, lease, task, outcome, suspect)
    const live = await lockAttempt(tx, task.jobId, task.attempt)
    const { reason, detail, exitCode } = outcome
    await writeTask(tx, lease, task.id, {
      name: 'finish-task',
      // Not the start of the transaction: the lock on the job decided which of its tasks ended first.
      text: `UPDATE tasks SET status = $4, reason = $5, detail = $6, exit_code = $7, ended_at = clock_timestamp()
              WHERE ${taskHeld}`,
      values: [taskStatusOf(outcome), reason, detail, exitCode],
    })
    if (live) await endAttempt(tx, live)
    if (after === 'keep') return
    await releaseAllocations(tx, [task.id])
    if (after === 'release') return
    // Excludes the job itself: if it returns to the queue, the leader must examine it first.
    const jobIds = candidates.jobIds.filter((id) => id !== task.jobId)
    await dispatchDirectly(tx, lease.nodeId, { ...candidates, jobIds }).catch((cause: unknown) => {
      throw new DispatchFailed('dispatch', { cause })
    })
  })
}

/** Returns the ended tasks of this node that still hold GPUs, because their container could not be killed. */
export async function tasksHoldingGpus(lease: Lease): Promise<string[]> {
  const { rows } = await database().pool.query<{ task_id: string }>(
    `SELECT DISTINCT a.task_id FROM allocations a JOIN tasks t ON t.id = a.task_id
      WHERE t.node_id = $1 AND a.released_at IS NULL AND t.status NOT IN ('scheduled', 'starting', 'running')`,
    [lease.nodeId],
  )
  return rows.map(({ task_id }) => task_id)
}

/**
 * Releases the GPUs of such tasks once their containers are gone, and wakes the scheduler.
 * @throws {LeaseLost} if another worker serves the node and may see other containers.
 */
export async function releaseTasks(lease: Lease, taskIds: string[]): Promise<void> {
  await transaction(async (tx) => {
    const { rowCount } = await tx.query('SELECT 1 FROM nodes WHERE id = $1 AND lease_id = $2 FOR UPDATE', [
      lease.nodeId,
      lease.leaseId,
    ])
    if (rowCount !== 1) throw new LeaseLost()
    await releaseAllocations(tx, taskIds)
    await tx.query('SELECT pg_notify($1, $2)', [channels.queue, lease.nodeId])
  })
}
