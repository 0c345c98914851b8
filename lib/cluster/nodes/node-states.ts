import { z } from 'zod'
import type { Transaction } from '../../database/transaction'
import type { NodeState } from '../../scheduling/types'

const nodeRows = z.array(
  z.object({
    id: z.string(),
    blocked: z.enum(['paused', 'quarantined', 'draining', 'lost']).nullable(),
    pool: z.enum(['reserved', 'on-demand']),
    dedicatedTo: z.string().nullable(),
    cpuMilli: z.number(),
    memoryMib: z.number(),
    usedCpuMilli: z.number(),
    usedMemoryMib: z.number(),
    gpus: z.array(
      z.object({
        id: z.string(),
        index: z.number(),
        model: z.string(),
        memoryMib: z.number(),
        allocatedMilli: z.number(),
        blocked: z.enum(['paused', 'outside', 'missing']).nullable(),
      }),
    ),
  }),
)

// `json` is made in half the time of `jsonb`: with ten thousand GPUs that is a tenth of a second in each pass.
const selectNodes = `
  SELECT n.id, n.pool::text AS pool, n.dedicated_to AS "dedicatedTo",
         CASE WHEN n.status IN ('lost', 'drained') OR n.lease_expires_at <= now() THEN 'lost'
              WHEN n.quarantined_at IS NOT NULL THEN 'quarantined' WHEN n.paused_at IS NOT NULL THEN 'paused'
              WHEN n.status = 'draining' THEN 'draining' END AS blocked,
         n.cpu_milli AS "cpuMilli", n.memory_mib AS "memoryMib",
         coalesce(used.cpu, 0)::int AS "usedCpuMilli", coalesce(used.memory, 0)::int AS "usedMemoryMib",
         coalesce(gpus.list, '[]') AS gpus
    FROM nodes n
    LEFT JOIN LATERAL (
      SELECT sum(cpu_milli) AS cpu, sum(memory_mib) AS memory FROM tasks
       WHERE node_id = n.id AND status IN ('scheduled', 'starting', 'running')) used ON true
    LEFT JOIN LATERAL (
      SELECT json_agg(json_build_object('id', id, 'index', index, 'model', model, 'memoryMib', memory_mib,
                       'allocatedMilli', allocated_milli, 'blocked', CASE WHEN missing THEN 'missing'
                         WHEN paused_at IS NOT NULL THEN 'paused' WHEN busy_reason IS NOT NULL THEN 'outside' END)
                       ORDER BY index) AS list
        -- One that is gone has no share of the node's CPU and memory. Where it is still held, it has.
        FROM gpus WHERE node_id = n.id AND NOT (missing AND allocated_milli = 0)) gpus ON true`

/** Every node as the scheduler sees it, in an order that stays. One that was forgotten is not looked at. */
export async function readNodes(executor: Transaction): Promise<NodeState[]> {
  const { rows } = await executor.query({
    name: 'snapshot-nodes',
    text: `${selectNodes} WHERE n.forgotten_at IS NULL ORDER BY n.number`,
  })
  return nodeRows.parse(rows)
}

/** A statement that begins after the node was locked sees a stop that was answered: who stops locks every node. */
const mayBePlacedOn = 'n.id = $1 AND (SELECT running FROM policies)'

/**
 * One node as it stands, its row locked until the transaction ends; null when it is gone, or the orchestrator stopped, so
 * that nothing may be placed.
 */
export async function lockForPlacing(tx: Transaction, nodeId: string): Promise<NodeState | null> {
  await tx.query({
    name: 'lock-node',
    text: 'SELECT 1 FROM nodes WHERE id = $1 FOR UPDATE',
    values: [nodeId],
  })
  const { rows } = await tx.query({
    name: 'read-node',
    text: `${selectNodes} WHERE ${mayBePlacedOn}`,
    values: [nodeId],
  })
  return nodeRows.parse(rows)[0] ?? null
}

/**
 * As {@link lockForPlacing}, of a node whose row is locked already.
 *
 * @param turn an advisory lock, waited for, and kept until the transaction ends.
 */
export async function readNodeInTurn(
  tx: Transaction,
  nodeId: string,
  turn: number,
): Promise<NodeState | null> {
  const { rows } = await tx.query({
    name: 'read-node-in-turn',
    text: `${selectNodes}, (SELECT pg_advisory_xact_lock($2)) AS turn WHERE ${mayBePlacedOn}`,
    values: [nodeId, turn],
  })
  return nodeRows.parse(rows)[0] ?? null
}
