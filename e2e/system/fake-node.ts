import { deregisterNode, registerNode } from '@/lib/cluster/nodes/nodes'
import { storedData } from '../stored-data'

interface FakeNode {
  number: number
  /** Marks a GPU as no longer found by its node. */
  loseGpu: (index: number) => Promise<void>
  /** Ends the node's lease, as if its worker had stopped. */
  leave: () => Promise<void>
}

/**
 * Creates a node with two GPUs that exists only in the database. No worker offers it, so no job starts there.
 */
export async function createFakeNode(name: string, model: string): Promise<FakeNode> {
  const { pool } = storedData()
  const gpus = [0, 1].map((index) => ({
    index,
    uuid: `GPU-${name}-${index}`,
    model,
    memoryMib: 40_960,
    simulated: false,
  }))
  const machine = { engineId: name, engineVersion: '29.5', warnings: [], cpuMilli: 8000, memoryMib: 16_384 }
  const lease = await registerNode({ name, ...machine, gpus })
  const { rows } = await pool.query<{ number: number }>(
    "UPDATE nodes SET lease_expires_at = now() + interval '1 hour' WHERE id = $1 RETURNING number",
    [lease.nodeId],
  )
  return {
    number: rows[0]?.number ?? -1,
    loseGpu: async (index) => {
      await pool.query('UPDATE gpus SET missing = true WHERE node_id = $1 AND index = $2', [
        lease.nodeId,
        index,
      ])
    },
    leave: () => deregisterNode(lease),
  }
}
