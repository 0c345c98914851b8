import { database } from '../database/client'
import { channels } from '../database/listen'
import type { Preemption } from '../scheduling/types'

/** Tells the workers to stop jobs that have to make room. They go back to the queue. */
export async function preemptJobs(preemptions: readonly Preemption[]): Promise<void> {
  if (preemptions.length === 0) return
  await database().pool.query(
    `WITH told AS (
       UPDATE tasks SET preempted_at = now()
        WHERE job_id = ANY ($1::uuid[]) AND status IN ('scheduled', 'starting', 'running') AND preempted_at IS NULL
       RETURNING node_id
     )
     SELECT pg_notify('${channels.node}', node_id::text) FROM told`,
    [preemptions.map(({ jobId }) => jobId)],
  )
}
