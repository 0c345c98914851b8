import { database } from '../../database/client'
import { notRemoved } from '../../jobs/config/registered-nodes'
import { leaseTimes } from '../nodes/lease-times'
import type { Lease } from '../nodes/nodes'
import { simulatedEngineId } from './simulated-nodes'

/** The machine that hosts simulated nodes. Each simulated node offers all of its resources. */
export interface HostMachine {
  engineId: string
  engineVersion: string
  cpuMilli: number
  memoryMib: number
}

export interface SimulatedNode {
  id: string
  name: string
}

/** Returns the simulated nodes that the worker of `hostNodeId` must serve. */
export async function simulatedNodesOf(hostNodeId: string): Promise<SimulatedNode[]> {
  const { rows } = await database().pool.query<SimulatedNode>({
    name: 'simulated-nodes-of',
    text: `SELECT n.id, n.name FROM nodes n WHERE n.simulated AND n.host_node_id = $1 AND ${notRemoved('n')} ORDER BY n.number`,
    values: [hostNodeId],
  })
  return rows
}

/**
 * Acquires a lease on a simulated node with the GPUs that the admin requested. Nothing is placed on it before {@link
 * offerNode}.
 * @throws if the node was removed, or another host's worker still serves it.
 */
export async function registerSimulatedNode(
  node: SimulatedNode,
  hostNodeId: string,
  host: HostMachine,
): Promise<Lease> {
  const engineId = simulatedEngineId(host.engineId, node.name)
  const { rows } = await database().pool.query<{ lease_id: string }>(
    `UPDATE nodes n SET status = 'draining', engine_id = $3, engine_version = $4, warnings = '{}', cpu_milli = $5, memory_mib = $6,
            lease_id = gen_random_uuid(), lease_expires_at = now() + make_interval(secs => $7)
      WHERE n.id = $1 AND n.host_node_id = $2 AND ${notRemoved('n')}
        AND (n.engine_id = $3 OR n.lease_expires_at < now())
     RETURNING lease_id`,
    [
      node.id,
      hostNodeId,
      engineId,
      host.engineVersion,
      host.cpuMilli,
      host.memoryMib,
      leaseTimes().leaseSeconds,
    ],
  )
  const [row] = rows
  if (!row)
    throw new Error(
      `This worker does not host the simulated node "${node.name}". Another host serves it, or it was removed.`,
    )
  return { nodeId: node.id, leaseId: row.lease_id, engineId }
}
