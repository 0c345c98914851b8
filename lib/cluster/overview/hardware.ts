import type { Hardware } from '../../contract/submission/dry-run'
import { database } from '../../database/client'
import { usesSlurm } from '../../env/engine'
import { notRemoved } from '../../jobs/config/registered-nodes'
import { readSlurmCluster, type StoredSlurmCluster } from '../../jobs/config/slurm-cluster'

/** Returns the kinds of GPUs that a job can ask for, the most frequent first. */
export async function readHardware(): Promise<Hardware[]> {
  return usesSlurm() ? hardwareOfSlurm(await readSlurmCluster()) : readRegistered()
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

/** A node that is down has no free GPUs. */
const away = /DOWN|DRAIN|FAIL|UNKNOWN|NOT_RESPONDING/

function hardwareOfSlurm({ nodes }: StoredSlurmCluster): Hardware[] {
  const kinds = new Map<string | null, Hardware>()
  for (const { gpus, states } of nodes) {
    const isAway = states.some((state) => away.test(state))
    for (const { type, count, used } of gpus) {
      const known = kinds.get(type) ?? {
        model: type,
        memory_mib: null,
        gpus: 0,
        free: 0,
        largest_node: 0,
        simulated: false,
      }
      kinds.set(type, {
        ...known,
        gpus: known.gpus + count,
        free: known.free + (isAway ? 0 : Math.max(0, count - used)),
        largest_node: Math.max(known.largest_node, count),
      })
    }
  }
  return [...kinds.values()].toSorted((a, b) => b.gpus - a.gpus)
}
