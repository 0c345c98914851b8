import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { type Lease, leaseHeld } from '../nodes/nodes'
import { type ClaimedTask, Fenced } from './tasks'

/** The start-up state of the tasks of an attempt, which start together. */
export interface Readiness {
  /** Tasks whose containers do not exist yet, by rank. */
  missing: { rank: number; nodeName: string }[]
  /** Seconds since the first task was ready. */
  waitedSeconds: number
}

/** Records that the task's container exists and waits for its peers, and notifies their nodes. Idempotent. */
export async function markReady(lease: Lease, task: ClaimedTask): Promise<void> {
  const { rows } = await database().pool.query<{ ready: boolean }>({
    name: 'mark-ready',
    text: `WITH task AS (
             UPDATE tasks SET ready_at = coalesce(ready_at, now())
              WHERE id = $3 AND node_id = $1 AND status IN ('starting', 'running') AND ${leaseHeld}
             RETURNING job_id, attempt
           ), woken AS (
             SELECT pg_notify('${channels.node}', p.node_id::text) FROM tasks p JOIN task USING (job_id, attempt)
           )
           SELECT EXISTS (SELECT 1 FROM task) AS ready, (SELECT count(*) FROM woken) AS woken`,
    values: [lease.nodeId, lease.leaseId, task.id],
  })
  if (!rows[0]?.ready) throw new Fenced(task.id)
}

/** Reads which of the task's peers are not ready yet. */
export async function readReadiness({ jobId, attempt }: ClaimedTask): Promise<Readiness> {
  const { rows } = await database().pool.query<Readiness>({
    name: 'read-readiness',
    text: `SELECT coalesce(extract(epoch FROM now() - min(t.ready_at)), 0)::float8 AS "waitedSeconds",
                  coalesce(jsonb_agg(jsonb_build_object('rank', t.rank, 'nodeName', n.name) ORDER BY t.rank)
                    FILTER (WHERE t.ready_at IS NULL), '[]') AS missing
             FROM tasks t JOIN nodes n ON n.id = t.node_id WHERE t.job_id = $1 AND t.attempt = $2`,
    values: [jobId, attempt],
  })
  return rows[0] ?? { missing: [], waitedSeconds: 0 }
}
