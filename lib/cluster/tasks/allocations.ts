import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { transaction } from '../../database/transaction'
import { releaseAllocations } from '../../jobs/lifecycle/release-allocations'
import { type Lease, LeaseLost } from '../nodes/nodes'

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
