import { type Lease, leaseHeld } from '../cluster/nodes/nodes'
import { database } from '../database/client'

/** The containers of a node that were started before their job is known. */
export interface WarmState {
  containers: number
  memoryMib: number
}

/** Records them for people to see; nothing is decided by it. Changes nothing if the lease is lost. */
export async function recordWarmContainers(
  lease: Lease,
  { containers, memoryMib }: WarmState,
): Promise<void> {
  await database().pool.query({
    name: 'record-warm-containers',
    text: `UPDATE nodes SET warm_containers = $3, warm_memory_mib = $4 WHERE id = $1 AND ${leaseHeld}`,
    values: [lease.nodeId, lease.leaseId, containers, memoryMib],
  })
}

/** The environments whose warm containers import these modules from this image. */
interface PreparedEnvironment {
  image: string
  prepare: readonly string[]
}

/**
 * Records for admins why the prepared imports of an environment are not used on a node; null: they work. Changes nothing if the
 * lease is lost.
 */
export async function recordPrepareProblem(
  lease: Lease,
  { image, prepare }: PreparedEnvironment,
  problem: string | null,
): Promise<void> {
  await database().pool.query({
    name: 'record-prepare-problem',
    text: `UPDATE environments
              SET prepare_problem = (SELECT name || ': ' FROM nodes WHERE id = $1) || $5::text,
                  prepare_problem_at = CASE WHEN $5::text IS NULL THEN NULL ELSE now() END
            WHERE image = $3 AND prepare = $4 AND (prepare_problem IS NOT NULL OR $5::text IS NOT NULL) AND ${leaseHeld}`,
    values: [lease.nodeId, lease.leaseId, image, prepare, problem],
  })
}
