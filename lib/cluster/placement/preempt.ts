import { database } from '../../database/client'
import { channels } from '../../database/listen'
import type { Preemption } from '../../scheduling/types'

/** Requests the workers to stop preempted jobs with all their tasks. The jobs return to the queue. */
export async function preemptJobs(preemptions: readonly Preemption[]): Promise<void> {
  if (preemptions.length === 0) return
  await database().pool.query(
    // Lock order: jobs by id, then tasks, as everywhere.
    `WITH asked AS (SELECT id FROM jobs WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE
     ), live AS (
       SELECT tasks.id FROM tasks JOIN asked ON asked.id = job_id
        WHERE status IN ('scheduled', 'starting', 'running') AND preempted_at IS NULL ORDER BY tasks.id FOR UPDATE OF tasks
     ), told AS (
       UPDATE tasks SET preempted_at = now() FROM live WHERE tasks.id = live.id RETURNING node_id
     )
     SELECT pg_notify('${channels.node}', node_id::text) FROM told`,
    [preemptions.map(({ jobId }) => jobId)],
  )
}
