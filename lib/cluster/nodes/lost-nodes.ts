import { channels } from '../../database/listen'
import { type Transaction, transaction } from '../../database/transaction'
import { releaseAllocations } from '../../jobs/lifecycle/release-allocations'
import { endAttempt, lockAttempt } from '../../jobs/lifecycle/verdict'
import { leaseTimes } from './lease-times'

/**
 * Marks every node with an expired lease as lost and fences off its tasks. Their jobs are retried once none of their
 * other tasks is left, and their GPUs are released. This is safe because the worker stopped the containers before, by
 * its own clock.
 * @returns the names of the lost nodes.
 */
export async function markExpiredNodesLost(): Promise<string[]> {
  return transaction(async (tx) => {
    // Lock order: nodes by id, then jobs, then tasks, as everywhere.
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
    await markTasksLost(
      tx,
      nodes.rows.map(({ id }) => id),
    )
    await tx.query('SELECT pg_notify($1, $2)', [channels.queue, 'lost'])
    return nodes.rows.map(({ name }) => name)
  })
}

async function markTasksLost(tx: Transaction, nodeIds: string[]): Promise<void> {
  const attempts = await tx.query<{ job_id: string; attempt: number }>(
    `SELECT DISTINCT job_id, attempt FROM tasks
      WHERE node_id = ANY ($1::uuid[]) AND status IN ('scheduled', 'starting', 'running') ORDER BY job_id`,
    [nodeIds],
  )
  const live = []
  for (const { job_id, attempt } of attempts.rows) live.push(await lockAttempt(tx, job_id, attempt))
  // Any failure of a peer came later as a consequence, so the task counts as ended when its node was last heard
  // from.
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
  // Excludes containers that could not be killed: their GPUs stay held until a worker on the node sees that they are
  // gone.
  await releaseAllocations(
    tx,
    rows.map(({ id }) => id),
  )
}
