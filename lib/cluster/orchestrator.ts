import { database } from '../database/client'
import { leaderLock } from './leader-lock'
import type { Orchestrator } from './schemas'

/** Whether the scheduler runs, who leads it, and how much there is for it to do. */
export async function readOrchestrator(): Promise<Orchestrator> {
  const { rows } = await database().pool.query<Orchestrator>({
    name: 'read-orchestrator',
    // A lock's 64-bit key stands in two halves.
    text: `SELECT p.running, p.scheduling AS scheduling_policy,
                  EXISTS (SELECT 1 FROM pg_locks
                           WHERE locktype = 'advisory' AND granted AND objsubid = 1
                             AND (classid::int8 << 32) + objid::int8 = $1
                             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS leader,
                  (SELECT count(*) FROM jobs WHERE status = 'pending')::int AS queued,
                  (SELECT count(*) FROM jobs WHERE status IN ('scheduled', 'running'))::int AS running_jobs
             FROM policies p`,
    values: [leaderLock],
  })
  const [row] = rows
  if (!row) throw new Error('the policy is gone: its one row is made by the migrations')
  return row
}
