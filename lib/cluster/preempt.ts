import { database } from '../database/client'
import { channels } from '../database/listen'
import type { Preemption } from '../scheduling/types'

/** Tells the workers to stop jobs that have to make room, with all of their tasks. They go back to the queue. */
export async function preemptJobs(preemptions: readonly Preemption[]): Promise<void> {
  if (preemptions.length === 0) return
  await database().pool.query(
    // Jobs before their tasks, and in one order, as everyone locks them.
    `WITH asked AS (SELECT id FROM jobs WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE
     ), told AS (
       UPDATE tasks SET preempted_at = now()
        WHERE job_id IN (SELECT id FROM asked) AND status IN ('scheduled', 'starting', 'running') AND preempted_at IS NULL
       RETURNING node_id
     )
     SELECT pg_notify('${channels.node}', node_id::text) FROM told`,
    [preemptions.map(({ jobId }) => jobId)],
  )
}
