import { uuidv7 } from 'uuidv7'
import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { acquireLock } from '../../database/locks'
import { type Transaction, transaction } from '../../database/transaction'
import { leaseTimes } from './lease-times'

type NodePool = 'reserved' | 'on-demand'

interface NodeRegistration {
  name: string
  /** The id of the container engine. Distinguishes a restarted worker from another machine with the same name. */
  engineId: string
  engineVersion: string
  /** The address at which other nodes reach this machine; null or undefined: unknown. */
  address?: string | null
  warnings: string[]
  cpuMilli: number
  memoryMib: number
  /** The pool of the node; default: on-demand. */
  pool?: NodePool
  /** The job for which the node was provisioned; default: any job. */
  dedicatedTo?: string | null
  gpus: { index: number; uuid: string; model: string; memoryMib: number; simulated: boolean }[]
}

/** A node as held by its worker. Every write of the worker carries both ids. */
export interface Lease {
  nodeId: string
  leaseId: string
  /** The engine that runs the node's containers. */
  engineId: string
}

/** SQL condition: the lease `$2` on the node `$1` is held. Guards every write of a worker. */
export const leaseHeld = `EXISTS (SELECT 1 FROM nodes n WHERE n.id = $1 AND n.lease_id = $2 AND n.lease_expires_at > now() AND n.status <> 'lost')`

/** The lease expired, or another worker holds the node. What this worker knows about the node may be wrong. */
export class LeaseLost extends Error {
  constructor() {
    super('This worker no longer holds the lease on its node. It stops its work there and registers again.')
    this.name = 'LeaseLost'
  }
}

export class NodeNameTaken extends Error {
  constructor(name: string) {
    super(
      `Another machine already serves the node "${name}". Set another name with GPUQ_NODE_NAME, or stop the other worker.`,
    )
    this.name = 'NodeNameTaken'
  }
}

/**
 * Registers the node and creates a new lease; the previous holder is fenced off immediately. Nothing is placed
 * before {@link offerNode}. Keeps a pause and a quarantine, and shows a forgotten node again.
 * @throws {NodeNameTaken} if another engine holds the name with a valid lease, or if it is the name of a simulated
 * node.
 */
export async function registerNode(node: NodeRegistration): Promise<Lease> {
  return transaction(async (tx) => {
    // Serializes registrations, because the node number is the last one plus one.
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
    await replaceGpus(tx, row.id, node.gpus)
    return { nodeId: row.id, leaseId: row.lease_id, engineId: node.engineId }
  })
}

/** Records the GPUs of a node. All of its other GPUs count as missing. */
export async function replaceGpus(
  tx: Transaction,
  nodeId: string,
  gpus: NodeRegistration['gpus'],
): Promise<void> {
  await tx.query('UPDATE gpus SET missing = true WHERE node_id = $1', [nodeId])
  for (const { index, uuid, model, memoryMib, simulated } of gpus) {
    await tx.query(
      `INSERT INTO gpus (id, node_id, index, uuid, model, memory_mib, simulated) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (node_id, uuid) DO UPDATE SET
         index = excluded.index, model = excluded.model, memory_mib = excluded.memory_mib,
         simulated = excluded.simulated, missing = false, forgotten_at = NULL`,
      [uuidv7(), nodeId, index, uuid, model, memoryMib, simulated],
    )
  }
}

/** Checks whether the node of that name ever had a real GPU. */
export async function hadRealGpus(name: string): Promise<boolean> {
  const { rowCount } = await database().pool.query(
    'SELECT 1 FROM nodes n JOIN gpus g ON g.node_id = n.id WHERE n.name = $1 AND NOT g.simulated LIMIT 1',
    [name],
  )
  return rowCount === 1
}

/**
 * Renews the lease. `expired`: the lease expired; this worker is fenced off and must stop its containers. `taken`:
 * another worker on the same engine serves the node and owns the containers.
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

/** Returns false once the lease has expired or was taken. It never becomes valid again. */
export async function holdsLease(lease: Lease): Promise<boolean> {
  const { rowCount } = await database().pool.query(
    `SELECT 1 FROM nodes WHERE id = $1 AND lease_id = $2 AND lease_expires_at > now() AND status <> 'lost'`,
    [lease.nodeId, lease.leaseId],
  )
  return rowCount === 1
}

/** Opens the node for placements, after its worker has cleaned up leftover containers. */
export async function offerNode(lease: Lease): Promise<void> {
  await database().pool.query(
    `WITH offered AS (UPDATE nodes SET status = 'ready' WHERE id = $1 AND lease_id = $2 AND status = 'draining' RETURNING id)
     SELECT pg_notify('${channels.queue}', id::text) FROM offered`,
    [lease.nodeId, lease.leaseId],
  )
}

/** Stops new placements on the node; running tasks continue. */
export async function drainNode(lease: Lease, warning?: string): Promise<void> {
  await database().pool.query(
    `UPDATE nodes SET status = 'draining', warnings = warnings || $3::text[]
      WHERE id = $1 AND lease_id = $2 AND status IN ('ready', 'draining')`,
    [lease.nodeId, lease.leaseId, warning ? [warning] : []],
  )
}

/** Releases the lease when a worker shuts down, so that nobody waits until it expires. */
export async function deregisterNode(lease: Lease): Promise<void> {
  await database().pool.query(
    // The column has milliseconds: rounded, the present time may be later than that of the next statement.
    `UPDATE nodes SET status = 'drained', lease_expires_at = now() - interval '1 millisecond' WHERE id = $1 AND lease_id = $2`,
    [lease.nodeId, lease.leaseId],
  )
}
