import { database } from '../../database/client'
import { leaseTimes } from '../nodes/lease-times'
import type { Lease } from '../nodes/nodes'
import { notRetired, simulatedEngineId } from './simulated-nodes'

/** The machine on which simulated nodes run: each of them offers all of it. */
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

/** The simulated nodes that the worker of `hostNodeId` is to serve. */
export async function simulatedNodesOf(hostNodeId: string): Promise<SimulatedNode[]> {
  const { rows } = await database().pool.query<SimulatedNode>({
    name: 'simulated-nodes-of',
    text: `SELECT n.id, n.name FROM nodes n WHERE n.simulated AND n.host_node_id = $1 AND ${notRetired('n')} ORDER BY n.number`,
    values: [hostNodeId],
  })
  return rows
}

/**
 * Takes a lease on a simulated node; its GPUs are as the admin asked. Nothing is placed on it before it is offered.
 * @throws when it was taken away, or another host's worker still has it.
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
      WHERE n.id = $1 AND n.host_node_id = $2 AND ${notRetired('n')}
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
  if (!row) throw new Error(`The simulated node "${node.name}" is not this worker's to serve.`)
  return { nodeId: node.id, leaseId: row.lease_id, engineId }
}
