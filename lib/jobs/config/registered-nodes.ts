import type { Transaction } from '../../database/transaction'
import type { NodeState } from '../../scheduling/types'

/** SQL condition: the node with this alias is not a removed simulated node. */
export function notRemoved(node: string): string {
  return `(NOT ${node}.simulated OR EXISTS (SELECT 1 FROM gpus r WHERE r.node_id = ${node}.id AND NOT r.missing))`
}

/**
 * SQL condition: since the job with this alias was submitted, an admin took a node away: a node or a GPU was forgotten, or a simulated
 * node removed.
 */
export function lostNode(job: string): string {
  return `(EXISTS (SELECT 1 FROM nodes n WHERE n.forgotten_at > ${job}.created_at OR NOT ${notRemoved('n')})
           OR EXISTS (SELECT 1 FROM gpus g WHERE g.forgotten_at > ${job}.created_at))`
}

/**
 * Reads all nodes on which a job could run some day, as if they were open and idle: also offline, drained, paused and quarantined
 * ones. A GPU that its node does not find now counts until an admin forgets it. Leaves out nodes that were started for one
 * job.
 */
export async function readRegisteredNodes(executor: Transaction): Promise<NodeState[]> {
  const { rows } = await executor.query<NodeState>({
    name: 'registered-nodes',
    text: `SELECT n.id, n.name, NULL AS blocked, n.pool::text AS pool, n.cpu_milli AS "cpuMilli", n.memory_mib AS "memoryMib",
                  0 AS "usedCpuMilli", 0 AS "usedMemoryMib", coalesce(gpus.list, '[]') AS gpus
             FROM nodes n
             LEFT JOIN LATERAL (
               SELECT json_agg(json_build_object('id', id, 'index', index, 'model', model, 'memoryMib', memory_mib,
                                                 'allocatedMilli', 0, 'blocked', NULL) ORDER BY index) AS list
                 FROM gpus WHERE node_id = n.id AND forgotten_at IS NULL AND NOT (missing AND simulated)) gpus ON true
            WHERE n.forgotten_at IS NULL AND n.dedicated_to IS NULL AND ${notRemoved('n')} ORDER BY n.number`,
  })
  return rows
}
