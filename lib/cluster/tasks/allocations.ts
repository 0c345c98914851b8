import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { type Transaction, transaction } from '../../database/transaction'
import { type Lease, LeaseLost } from '../nodes/nodes'

/**
 * Gives back what ended tasks hold. Releasing twice releases once. GPUs of several nodes are locked in the order in which
 * a placement takes them.
 */
export async function releaseAllocations(tx: Transaction, taskIds: string[]): Promise<void> {
  await tx.query({
    name: 'release-allocations',
    text: `WITH released AS (
             UPDATE allocations SET released_at = now() WHERE task_id = ANY ($1::uuid[]) AND released_at IS NULL
             RETURNING gpu_id, milli
           ), sums AS (SELECT gpu_id, sum(milli)::int AS milli FROM released GROUP BY gpu_id
           ), locked AS (SELECT id FROM gpus WHERE id IN (SELECT gpu_id FROM sums) ORDER BY node_id, id FOR NO KEY UPDATE)
           UPDATE gpus SET allocated_milli = allocated_milli - sums.milli FROM sums JOIN locked ON locked.id = sums.gpu_id
            WHERE gpus.id = sums.gpu_id`,
    values: [taskIds],
  })
}

/** Ended tasks of this node that still hold GPUs, because their container would not die. */
export async function tasksHoldingGpus(lease: Lease): Promise<string[]> {
  const { rows } = await database().pool.query<{ task_id: string }>(
    `SELECT DISTINCT a.task_id FROM allocations a JOIN tasks t ON t.id = a.task_id
      WHERE t.node_id = $1 AND a.released_at IS NULL AND t.status NOT IN ('scheduled', 'starting', 'running')`,
    [lease.nodeId],
  )
  return rows.map(({ task_id }) => task_id)
}

/**
 * Releases what such tasks hold once their containers are gone, and wakes the scheduler.
 * @throws {LeaseLost} when another worker serves the node: it has its own view of the containers.
 */
export async function releaseGone(lease: Lease, taskIds: string[]): Promise<void> {
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
