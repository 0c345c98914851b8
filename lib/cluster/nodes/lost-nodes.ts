import { channels } from '../../database/listen'
import { type Transaction, transaction } from '../../database/transaction'
import { releaseAllocations } from '../../jobs/lifecycle/release-allocations'
import { endAttempt, lockAttempt } from '../../jobs/lifecycle/verdict'
import { leaseTimes } from './lease-times'

/**
 * Declares lost every node whose lease has run out: its tasks are fenced off, their jobs retried once none of their other
 * tasks is left, and only now are its GPUs free. Its worker stopped the containers
 * before that, by its own clock.
 * Returns the nodes' names.
 */
export async function loseExpiredNodes(): Promise<string[]> {
  return transaction(async (tx) => {
    // Nodes first and in one order, then jobs, then tasks, as everyone locks them.
    const nodes = await tx.query<{ id: string; name: string }>(
      `WITH expired AS (
         SELECT id FROM nodes
          WHERE lease_expires_at < now() AND (status IN ('ready', 'draining') OR (status = 'drained' AND EXISTS (
                SELECT 1 FROM tasks t WHERE t.node_id = nodes.id AND t.status IN ('scheduled', 'starting', 'running'))))
          ORDER BY id FOR UPDATE
       )
       UPDATE nodes SET status = 'lost' FROM expired WHERE nodes.id = expired.id RETURNING nodes.id, nodes.name`,
    )
    if (nodes.rows.length === 0) return []
    await loseTasks(
      tx,
      nodes.rows.map(({ id }) => id),
    )
    await tx.query('SELECT pg_notify($1, $2)', [channels.queue, 'lost'])
    return nodes.rows.map(({ name }) => name)
  })
}

async function loseTasks(tx: Transaction, nodeIds: string[]): Promise<void> {
  const attempts = await tx.query<{ job_id: string; attempt: number }>(
    `SELECT DISTINCT job_id, attempt FROM tasks
      WHERE node_id = ANY ($1::uuid[]) AND status IN ('scheduled', 'starting', 'running') ORDER BY job_id`,
    [nodeIds],
  )
  const live = []
  for (const { job_id, attempt } of attempts.rows) live.push(await lockAttempt(tx, job_id, attempt))
  // What its peers made of its silence came after it: it ended when its node was last heard of.
  const { rows } = await tx.query<{ id: string }>(
    `WITH live AS (
       SELECT id FROM tasks
        WHERE node_id = ANY ($1::uuid[]) AND status IN ('scheduled', 'starting', 'running') ORDER BY id FOR UPDATE
     )
     UPDATE tasks SET status = 'lost', reason = 'node_lost', detail = format('The node was "%s".', n.name),
            ended_at = greatest(tasks.created_at, tasks.started_at, n.lease_expires_at - make_interval(secs => $2))
       FROM live, nodes n WHERE tasks.id = live.id AND n.id = tasks.node_id
     RETURNING tasks.id`,
    [nodeIds, leaseTimes().leaseSeconds],
  )
  for (const attempt of live) if (attempt) await endAttempt(tx, attempt)
  // Not those whose container would not die: they stay held until a worker on the node has seen it gone.
  await releaseAllocations(
    tx,
    rows.map(({ id }) => id),
  )
}
