import { database } from '../../database/client'
import { type Lease, leaseHeld } from './nodes'

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
