import type { Transaction } from '../../database/transaction'

/**
 * Frees the GPUs of ended tasks. Repeating it changes nothing. Locks the GPUs in the same order as a placement, to
 * prevent deadlocks.
 */
export async function releaseAllocations(tx: Transaction, taskIds: string[]): Promise<void> {
  await tx.query({
    name: 'release-allocations',
    // The transaction may have begun before the allocation was made, and a clock can step back.
    text: `WITH released AS (
             UPDATE allocations SET released_at = greatest(now(), created_at) WHERE task_id = ANY ($1::uuid[]) AND released_at IS NULL
             RETURNING gpu_id, milli
           ), sums AS (SELECT gpu_id, sum(milli)::int AS milli FROM released GROUP BY gpu_id
           ), locked AS (SELECT id FROM gpus WHERE id IN (SELECT gpu_id FROM sums) ORDER BY node_id, id FOR NO KEY UPDATE)
           UPDATE gpus SET allocated_milli = allocated_milli - sums.milli FROM sums JOIN locked ON locked.id = sums.gpu_id
            WHERE gpus.id = sums.gpu_id`,
    values: [taskIds],
  })
}
