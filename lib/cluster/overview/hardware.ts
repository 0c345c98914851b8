import type { Hardware } from '../../contract/submission/dry-run'
import { database } from '../../database/client'
import { externalEngine } from '../../engine/external-engine'
import { notRemoved } from '../../jobs/config/registered-nodes'

/** Returns the kinds of GPUs that a job can ask for, the most frequent first. */
export async function readHardware(): Promise<Hardware[]> {
  return externalEngine()?.readHardware() ?? readRegistered()
}

async function readRegistered(): Promise<Hardware[]> {
  const { rows } = await database().pool.query<Hardware>({
    name: 'hardware',
    text: `SELECT model, memory_mib, sum(gpus)::int AS gpus, sum(free)::int AS free, max(gpus)::int AS largest_node, bool_and(simulated) AS simulated
             FROM (SELECT g.model, g.memory_mib, bool_and(g.simulated) AS simulated, count(*) AS gpus,
                          count(*) FILTER (WHERE n.status = 'ready' AND n.lease_expires_at > now() AND n.paused_at IS NULL
                            AND n.quarantined_at IS NULL AND NOT g.missing AND g.paused_at IS NULL AND g.busy_reason IS NULL
                            AND g.allocated_milli = 0) AS free
                     FROM nodes n JOIN gpus g ON g.node_id = n.id
                    WHERE n.forgotten_at IS NULL AND n.dedicated_to IS NULL AND ${notRemoved('n')}
                      AND g.forgotten_at IS NULL AND NOT (g.missing AND g.simulated)
                    GROUP BY n.id, g.model, g.memory_mib) AS kinds
            GROUP BY model, memory_mib ORDER BY gpus DESC, model, memory_mib`,
  })
  return rows
}
