import { uuidv7 } from 'uuidv7'
import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { acquireLock } from '../../database/locks'
import { transaction } from '../../database/transaction'
import { leaseTimes } from './lease-times'

type NodePool = 'reserved' | 'on-demand'

interface NodeRegistration {
  name: string
  /** The container engine's id: tells a restarted worker from another machine of the same name. */
  engineId: string
  engineVersion: string
  /** Where other nodes reach this machine; null or left out: not known. */
  address?: string | null
  warnings: string[]
  cpuMilli: number
  memoryMib: number
  /** Which jobs it takes; left out: those on demand. */
  pool?: NodePool
  /** The job that it was brought up for; left out: it takes anybody's. */
  dedicatedTo?: string | null
  gpus: { index: number; uuid: string; model: string; memoryMib: number; simulated: boolean }[]
}

/** A node as its worker holds it. Every write of the worker carries both ids. */
export interface Lease {
  nodeId: string
  leaseId: string
  /** Where the node's containers are. */
  engineId: string
}

/** SQL that is true while the lease `$2` on the node `$1` is held: the guard of a worker's writes. */
export const leaseHeld = `EXISTS (SELECT 1 FROM nodes n WHERE n.id = $1 AND n.lease_id = $2 AND n.lease_expires_at > now() AND n.status <> 'lost')`

/** The lease ran out, or another worker has one on the node: what this worker believes about it may be wrong. */
export class LeaseLost extends Error {
  constructor() {
    super("the lease on this node is no longer this worker's")
    this.name = 'LeaseLost'
  }
}

export class NodeNameTaken extends Error {
  constructor(name: string) {
    super(
      `Another machine already serves the node "${name}". Give this one another name with GPUQ_NODE_NAME, or stop the other worker.`,
    )
    this.name = 'NodeNameTaken'
  }
}

/**
 * Takes the node of that name and a fresh lease on it; whoever held one before is fenced off from this moment. Nothing
 * is placed on it before {@link offerNode}. That an admin paused it, or that it is quarantined, stays; one that an admin
 * had forgotten is shown again.
 * @throws {NodeNameTaken} when another engine holds the name with a lease that has not run out, or a simulated node.
 */
export async function registerNode(node: NodeRegistration): Promise<Lease> {
  return transaction(async (tx) => {
    // One registration at a time: the next number is the one after the last.
    await acquireLock(tx, 'nodeRegistration')
    const { rows } = await tx.query<{ id: string; lease_id: string }>(
      `INSERT INTO nodes (id, number, name, status, engine_id, engine_version, warnings, lease_id, lease_expires_at, cpu_milli, memory_mib, pool, dedicated_to, address)
       VALUES ($1, (SELECT coalesce(max(number) + 1, 0) FROM nodes), $2, 'draining', $3, $4, $5, gen_random_uuid(), now() + make_interval(secs => $6), $7, $8, $9, $10, $11)
       ON CONFLICT (name) DO UPDATE SET
         status = 'draining', engine_id = excluded.engine_id, engine_version = excluded.engine_version, warnings = excluded.warnings,
         lease_id = excluded.lease_id, lease_expires_at = excluded.lease_expires_at,
         cpu_milli = excluded.cpu_milli, memory_mib = excluded.memory_mib, pool = excluded.pool, dedicated_to = excluded.dedicated_to,
         address = excluded.address, forgotten_at = NULL
       WHERE NOT nodes.simulated AND (nodes.engine_id = excluded.engine_id OR nodes.lease_expires_at < now())
       RETURNING id, lease_id`,
      [
        uuidv7(),
        node.name,
        node.engineId,
        node.engineVersion,
        node.warnings,
        leaseTimes().leaseSeconds,
        node.cpuMilli,
        node.memoryMib,
        node.pool ?? 'on-demand',
        node.dedicatedTo ?? null,
        node.address ?? null,
      ],
    )
    const [row] = rows
    if (!row) throw new NodeNameTaken(node.name)
    await tx.query('UPDATE gpus SET missing = true WHERE node_id = $1', [row.id])
    for (const gpu of node.gpus) {
      await tx.query(
        `INSERT INTO gpus (id, node_id, index, uuid, model, memory_mib, simulated) VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (node_id, uuid) DO UPDATE SET
           index = excluded.index, model = excluded.model, memory_mib = excluded.memory_mib,
           simulated = excluded.simulated, missing = false, forgotten_at = NULL`,
        [uuidv7(), row.id, gpu.index, gpu.uuid, gpu.model, gpu.memoryMib, gpu.simulated],
      )
    }
    return { nodeId: row.id, leaseId: row.lease_id, engineId: node.engineId }
  })
}

/** Whether the node of that name ever served a real GPU. */
export async function hadRealGpus(name: string): Promise<boolean> {
  const { rowCount } = await database().pool.query(
    'SELECT 1 FROM nodes n JOIN gpus g ON g.node_id = n.id WHERE n.name = $1 AND NOT g.simulated LIMIT 1',
    [name],
  )
  return rowCount === 1
}

/**
 * Renews the lease. `expired`: it ran out, this worker is fenced off, and its containers belong to nobody. `taken`:
 * another worker on this engine serves the node now, and owns them.
 */
export async function renewLease(lease: Lease): Promise<'renewed' | 'expired' | 'taken'> {
  const { rows } = await database().pool.query<{ renewed: boolean; taken: boolean }>(
    `WITH renewed AS (
       UPDATE nodes SET lease_expires_at = now() + make_interval(secs => $3)
        WHERE id = $1 AND lease_id = $2 AND status <> 'lost' AND lease_expires_at > now() RETURNING id
     )
     SELECT EXISTS (SELECT 1 FROM renewed) AS renewed, lease_id <> $2 AND engine_id = $4 AS taken FROM nodes WHERE id = $1`,
    [lease.nodeId, lease.leaseId, leaseTimes().leaseSeconds, lease.engineId],
  )
  const [row] = rows
  if (row?.renewed) return 'renewed'
  return row?.taken ? 'taken' : 'expired'
}

/** False once the lease ran out or was taken: it never comes back. */
export async function holdsLease(lease: Lease): Promise<boolean> {
  const { rowCount } = await database().pool.query(
    `SELECT 1 FROM nodes WHERE id = $1 AND lease_id = $2 AND lease_expires_at > now() AND status <> 'lost'`,
    [lease.nodeId, lease.leaseId],
  )
  return rowCount === 1
}

/** Opens the node for work: its worker has seen that nothing of the past is left on it. */
export async function offerNode(lease: Lease): Promise<void> {
  await database().pool.query(
    `WITH offered AS (UPDATE nodes SET status = 'ready' WHERE id = $1 AND lease_id = $2 AND status = 'draining' RETURNING id)
     SELECT pg_notify('${channels.queue}', id::text) FROM offered`,
    [lease.nodeId, lease.leaseId],
  )
}

/** Takes nothing new from now on; what runs goes on. */
export async function drainNode(lease: Lease, warning?: string): Promise<void> {
  await database().pool.query(
    `UPDATE nodes SET status = 'draining', warnings = warnings || $3::text[]
      WHERE id = $1 AND lease_id = $2 AND status IN ('ready', 'draining')`,
    [lease.nodeId, lease.leaseId, warning ? [warning] : []],
  )
}

/** Gives the lease back at a worker's own end, so that nobody waits for it to run out. */
export async function leaveNode(lease: Lease): Promise<void> {
  await database().pool.query(
    `UPDATE nodes SET status = 'drained', lease_expires_at = now() WHERE id = $1 AND lease_id = $2`,
    [lease.nodeId, lease.leaseId],
  )
}
