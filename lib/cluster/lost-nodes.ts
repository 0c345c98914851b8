import { channels } from '../database/listen'
import { transaction } from '../database/transaction'
import { endAttempt } from '../jobs/verdict'
import { releaseAllocations } from './tasks'

/**
 * Declares lost every node whose lease has run out: its tasks are fenced off, their jobs retried, and only now are
 * its GPUs free. Its worker stopped the containers ten seconds ago by its own clock. Returns the nodes' names.
 */
export async function loseExpiredNodes(): Promise<string[]> {
  return transaction(async (tx) => {
    const nodes = await tx.query<{ id: string; name: string }>(
      `UPDATE nodes SET status = 'lost'
        WHERE lease_expires_at < now() AND (status IN ('ready', 'draining') OR (status = 'drained' AND EXISTS (
              SELECT 1 FROM tasks t WHERE t.node_id = nodes.id AND t.status IN ('scheduled', 'starting', 'running'))))
        RETURNING id, name`,
    )
    if (nodes.rows.length === 0) return []
    const tasks = await tx.query<{ id: string; job_id: string; attempt: number; node_id: string }>(
      `UPDATE tasks SET status = 'lost', reason = 'node_lost', ended_at = now()
        WHERE node_id = ANY ($1::uuid[]) AND status IN ('scheduled', 'starting', 'running')
        RETURNING id, job_id, attempt, node_id`,
      [nodes.rows.map(({ id }) => id)],
    )
    const names = new Map(nodes.rows.map(({ id, name }) => [id, name]))
    for (const task of tasks.rows) {
      const detail = `The node was "${names.get(task.node_id)}".`
      await endAttempt(tx, task.job_id, task.attempt, { reason: 'node_lost', detail, exitCode: null })
    }
    // Not those whose container would not die: they stay held until a worker on the node has seen it gone.
    await releaseAllocations(
      tx,
      tasks.rows.map(({ id }) => id),
    )
    await tx.query('SELECT pg_notify($1, $2)', [channels.queue, 'lost'])
    return nodes.rows.map(({ name }) => name)
  })
}
