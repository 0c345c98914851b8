import { uuidv7 } from 'uuidv7'
import { type Actor, requireAdmin } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict } from '../../contract/errors'
import { channels } from '../../database/listen'
import { acquireLock } from '../../database/locks'
import { type Transaction, transaction } from '../../database/transaction'
import { replaceGpus } from '../nodes/nodes'

/**
 * Simulated nodes for trying gpuq: their GPUs do not exist, but their containers are real and run on the host's
 * engine.
 */
export interface SimulatedSet {
  nodeCount: number
  gpusPerNode: number
}

/** The properties of a simulated GPU: those of an H100 node, so that jobs tried here fit on real hardware. */
export const simulatedModel = 'Simulated GPU'
export const simulatedMemoryMib = 81_920

interface Host {
  id: string
  engine_id: string
  engine_version: string
  cpu_milli: number
  memory_mib: number
}

interface SimulatedRow {
  id: string
  name: string
  host_node_id: string
  /** Number of served GPUs; 0 for a removed node. */
  gpus: number
  busy: boolean
}

/**
 * Adds, resizes and removes simulated nodes as requested. Refuses the whole request if jobs run on a node that would
 * change. A removed node keeps its row, because past tasks refer to it, and has no GPUs: see `notRemoved`.
 */
export async function initializeSimulatedNodes(actor: Actor, requested: SimulatedSet): Promise<void> {
  requireAdmin(actor)
  await transaction((tx) => replaceSimulatedNodes(tx, actor.userId, requested))
}

/**
 * Creates the simulated nodes of a cluster that has never had any, and no real GPU either. Later starts keep what an
 * admin has chosen. Returns false if the cluster has or had such nodes or GPUs.
 * @throws 409 while no node is ready to host them.
 */
export function ensureFirstSimulatedNodes(requested: SimulatedSet): Promise<boolean> {
  return transaction(async (tx) => {
    const { rows } = await tx.query<{ known: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM nodes WHERE simulated) OR EXISTS (SELECT 1 FROM gpus WHERE NOT simulated) AS known`,
    )
    if (rows[0]?.known) return false
    await replaceSimulatedNodes(tx, null, requested)
    return true
  })
}

async function replaceSimulatedNodes(
  tx: Transaction,
  actorId: string | null,
  requested: SimulatedSet,
): Promise<void> {
  await acquireLock(tx, 'nodeRegistration')
  const present = await lockSimulated(tx)
  const names = await freeNames(tx, requested.nodeCount)
  const surplus = present.filter(({ name }) => !names.includes(name))
  const resized = present.filter(({ name, gpus }) => names.includes(name) && gpus !== requested.gpusPerNode)
  refuseBusy([...surplus, ...resized])
  for (const node of surplus) await removeNode(tx, node)
  if (names.length > 0) {
    const host = await chooseHost(tx, present)
    const rowOf = new Map(present.map((node) => [node.name, node]))
    for (const name of names) {
      const id = await ensureNode(tx, name, rowOf.get(name), host)
      const gpus = Array.from({ length: requested.gpusPerNode }, (_, index) => simulatedGpu(name, index))
      await replaceGpus(tx, id, gpus)
    }
  }
  await recordAudit(tx, {
    actorId,
    action: 'cluster_initialized',
    target: null,
    detail: { node_count: requested.nodeCount, gpus_per_node: requested.gpusPerNode },
  })
  await tx.query('SELECT pg_notify($1, $3), pg_notify($2, $3)', [channels.node, channels.queue, ''])
}

async function lockSimulated(tx: Transaction): Promise<SimulatedRow[]> {
  // A placement locks the node too, so no task can start between this check and the change.
  await tx.query('SELECT 1 FROM nodes WHERE simulated ORDER BY id FOR UPDATE')
  const { rows } = await tx.query<SimulatedRow>(
    `SELECT n.id, n.name, n.host_node_id,
            (SELECT count(*) FROM gpus g WHERE g.node_id = n.id AND NOT g.missing)::int AS gpus,
            EXISTS (SELECT 1 FROM tasks t WHERE t.node_id = n.id AND t.status IN ('scheduled', 'starting', 'running'))
            OR EXISTS (SELECT 1 FROM gpus g WHERE g.node_id = n.id AND g.allocated_milli > 0) AS busy
       FROM nodes n WHERE n.simulated ORDER BY n.number`,
  )
  return rows
}

/** The first names of sim-0, sim-1, … that no real node has. */
async function freeNames(tx: Transaction, count: number): Promise<string[]> {
  const { rows } = await tx.query<{ name: string }>(
    `SELECT name FROM nodes WHERE NOT simulated AND name LIKE 'sim-%'`,
  )
  const taken = new Set(rows.map(({ name }) => name))
  return Array.from({ length: count + taken.size }, (_, i) => `sim-${i}`)
    .filter((name) => !taken.has(name))
    .slice(0, count)
}

function refuseBusy(nodes: SimulatedRow[]): void {
  const busy = nodes.filter((node) => node.busy).map(({ name }) => name)
  if (busy.length === 0) return
  throw conflict(`Jobs still run on ${busy.join(', ')}. Wait for them or cancel them, then try again.`)
}

/** Keeps the current host; otherwise chooses the first real node that accepts jobs. */
async function chooseHost(tx: Transaction, present: SimulatedRow[]): Promise<Host> {
  const { rows } = await tx.query<Host>(
    `SELECT id, engine_id, engine_version, cpu_milli, memory_mib FROM nodes
      WHERE NOT simulated AND status = 'ready' AND lease_expires_at > now()
      ORDER BY id = ANY ($1::uuid[]) DESC, number LIMIT 1`,
    [present.map(({ host_node_id }) => host_node_id)],
  )
  if (rows[0]) return rows[0]
  throw conflict(
    'No node is ready to host simulated nodes. Start a worker with "npx gpuq worker", then try again.',
  )
}

/** Moves a node to a new host and ends the lease of the old host's worker. */
async function ensureNode(
  tx: Transaction,
  name: string,
  row: SimulatedRow | undefined,
  host: Host,
): Promise<string> {
  if (row && row.host_node_id === host.id) return row.id
  if (row) {
    refuseBusy([row])
    await tx.query(
      `UPDATE nodes SET host_node_id = $2, engine_id = $3, status = 'drained', lease_id = gen_random_uuid(), lease_expires_at = now()
        WHERE id = $1`,
      [row.id, host.id, simulatedEngineId(host.engine_id, name)],
    )
    return row.id
  }
  const id = uuidv7()
  await tx.query(
    `INSERT INTO nodes (id, number, name, status, engine_id, engine_version, lease_id, lease_expires_at, cpu_milli, memory_mib, simulated, host_node_id)
     VALUES ($1, (SELECT coalesce(max(number) + 1, 0) FROM nodes), $2, 'drained', $3, $4, gen_random_uuid(), now(), $5, $6, true, $7)`,
    [
      id,
      name,
      simulatedEngineId(host.engine_id, name),
      host.engine_version,
      host.cpu_milli,
      host.memory_mib,
      host.id,
    ],
  )
  return id
}

/** Returns a distinct engine id for each simulated node, so that each counts as its own machine for leases. */
export function simulatedEngineId(engineId: string, name: string): string {
  return `${engineId}/${name}`
}

function simulatedGpu(name: string, index: number) {
  const uuid = `GPU-sim-${name}-${index}`
  return { index, uuid, model: simulatedModel, memoryMib: simulatedMemoryMib, simulated: true }
}

/** Ends the lease, so that its worker releases the node at the next renewal. */
async function removeNode(tx: Transaction, { id }: SimulatedRow): Promise<void> {
  await tx.query(
    `UPDATE nodes SET status = 'drained', lease_expires_at = now(), paused_at = NULL, pause_reason = NULL,
            failures_in_row = 0, quarantined_at = NULL, quarantine_reason = NULL,
            probes = 0, probed_at = NULL, probe_error = NULL
      WHERE id = $1`,
    [id],
  )
  await tx.query('UPDATE gpus SET missing = true, paused_at = NULL, pause_reason = NULL WHERE node_id = $1', [
    id,
  ])
}
