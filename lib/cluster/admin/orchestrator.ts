import type { Orchestrator } from '../../contract/cluster'
import { database } from '../../database/client'
import { hasLeader } from '../../database/locks'

/** Reads whether the scheduler is running, which leader it has, and the size of the queue. */
export async function readOrchestrator(): Promise<Orchestrator> {
  const { rows } = await database().pool.query<Orchestrator>({
    name: 'read-orchestrator',
    text: `SELECT p.running, p.scheduling AS scheduling_policy, ${hasLeader} AS leader,
                  (SELECT count(*) FROM jobs WHERE status = 'pending')::int AS queued,
                  (SELECT count(*) FROM jobs WHERE status IN ('scheduled', 'running'))::int AS running_jobs
             FROM policies p`,
  })
  const [row] = rows
  if (!row) throw new Error('The table "policies" has no row. The migrations create it; run them again.')
  return row
}
