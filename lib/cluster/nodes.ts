import { uuidv7 } from 'uuidv7'
import { database } from '../database/client'
import { channels } from '../database/listen'
import { transaction } from '../database/transaction'

/** How long a lease lasts, how often it is renewed, and when a worker that could not renew stops its containers. */
export const leaseSeconds = 30
export const renewEveryMs = 5_000
export const selfFenceAfterMs = 20_000

/** Any constant of its own. */
const registrationLock = 4_711_470_004

export interface NodeRegistration {
  name: string
  /** The container engine's id: tells a restarted worker from another machine of the same name. */
  engineId: string
  engineVersion: string
  warnings: string[]
  cpuMilli: number
  memoryMib: number
  gpus: { index: number; uuid: string; model: string; memoryMib: number; simulated: boolean }[]
}

/** A node as its worker holds it. Every write of the worker carries both ids. */
export interface Lease {
  nodeId: string
  leaseId: string
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
 * Takes the node of that name and a fresh lease on it; whoever held one before is fenced off from this moment.
 * @throws {NodeNameTaken} when another engine holds the name with a lease that has not run out.
 */
export async function registerNode(node: NodeRegistration): Promise<Lease> {
  return transaction(async (tx) => {
    // One registration at a time: the next number is the one after the last.
    await tx.query('SELECT pg_advisory_xact_lock($1)', [registrationLock])
    const { rows } = await tx.query<{ id: string; lease_id: string }>(
      `INSERT INTO nodes (id, number, name, status, engine_id, engine_version, warnings, lease_id, lease_expires_at, cpu_milli, memory_mib)
       VALUES ($1, (SELECT coalesce(max(number) + 1, 0) FROM nodes), $2, 'ready', $3, $4, $5, gen_random_uuid(), now() + make_interval(secs => $6), $7, $8)
       ON CONFLICT (name) DO UPDATE SET
         status = CASE WHEN nodes.status = 'draining' THEN nodes.status ELSE 'ready' END,
         engine_id = excluded.engine_id, engine_version = excluded.engine_version, warnings = excluded.warnings,
         lease_id = excluded.lease_id, lease_expires_at = excluded.lease_expires_at,
         cpu_milli = excluded.cpu_milli, memory_mib = excluded.memory_mib
       WHERE nodes.engine_id = excluded.engine_id OR nodes.lease_expires_at < now()
       RETURNING id, lease_id`,
      [
        uuidv7(),
        node.name,
        node.engineId,
        node.engineVersion,
        node.warnings,
        leaseSeconds,
        node.cpuMilli,
        node.memoryMib,
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
           simulated = excluded.simulated, missing = false`,
        [uuidv7(), row.id, gpu.index, gpu.uuid, gpu.model, gpu.memoryMib, gpu.simulated],
      )
    }
    await tx.query('SELECT pg_notify($1, $2)', [channels.queue, row.id])
    return { nodeId: row.id, leaseId: row.lease_id }
  })
}

/**
 * Renews the lease. `expired`: it ran out before, and this worker is fenced off. `taken`: another worker serves the
 * node now, and owns its containers.
 */
export async function renewLease(lease: Lease): Promise<'renewed' | 'expired' | 'taken'> {
  const { rows } = await database().pool.query<{ lease_id: string; renewed: boolean }>(
    `WITH renewed AS (
       UPDATE nodes SET lease_expires_at = now() + make_interval(secs => $3)
        WHERE id = $1 AND lease_id = $2 AND status <> 'lost' AND lease_expires_at > now() RETURNING id
     )
     SELECT lease_id, EXISTS (SELECT 1 FROM renewed) AS renewed FROM nodes WHERE id = $1`,
    [lease.nodeId, lease.leaseId, leaseSeconds],
  )
  const [row] = rows
  if (row?.renewed) return 'renewed'
  return row && row.lease_id !== lease.leaseId ? 'taken' : 'expired'
}

/** Takes nothing new from now on; what runs goes on. */
export async function drainNode(lease: Lease, warning?: string): Promise<void> {
  await database().pool.query(
    `UPDATE nodes SET status = 'draining', warnings = warnings || $3::text[]
      WHERE id = $1 AND lease_id = $2 AND status = 'ready'`,
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
