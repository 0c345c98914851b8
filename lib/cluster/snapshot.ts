import { z } from 'zod'
import { database } from '../database/client'
import type { Transaction } from '../database/transaction'
import { requestOf, storedSpecSchema } from '../jobs/stored-spec'
import type { NodeState, Snapshot, WaitingJob } from '../scheduling/types'

const nodeRows = z.array(
  z.object({
    id: z.string(),
    ready: z.boolean(),
    cpuMilli: z.number(),
    memoryMib: z.number(),
    usedCpuMilli: z.number(),
    usedMemoryMib: z.number(),
    gpus: z.array(
      z.object({
        id: z.string(),
        index: z.number(),
        memoryMib: z.number(),
        allocatedMilli: z.number(),
        usable: z.boolean(),
      }),
    ),
  }),
)

const selectNodes = `
  SELECT n.id, n.status = 'ready' AND n.lease_expires_at > now() AS ready,
         n.cpu_milli AS "cpuMilli", n.memory_mib AS "memoryMib",
         coalesce(used.cpu, 0)::int AS "usedCpuMilli", coalesce(used.memory, 0)::int AS "usedMemoryMib",
         coalesce(gpus.list, '[]') AS gpus
    FROM nodes n
    LEFT JOIN LATERAL (
      SELECT sum(cpu_milli) AS cpu, sum(memory_mib) AS memory FROM tasks
       WHERE node_id = n.id AND status IN ('scheduled', 'starting', 'running')) used ON true
    LEFT JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('id', id, 'index', index, 'memoryMib', memory_mib,
                       'allocatedMilli', allocated_milli, 'usable', NOT missing) ORDER BY index) AS list
        FROM gpus WHERE node_id = n.id) gpus ON true`

interface WaitingRow {
  id: string
  attempt: number
  priority: number
  submitted_at: Date
  not_before: Date | null
  spec: unknown
}

/** How far down the queue one pass looks. What lies deeper waits for the next pass. */
const queueWindow = 1000

/** The state the scheduler plans on, and the database's time of it in ms. */
export async function takeSnapshot(): Promise<{
  snapshot: Snapshot
  now: number
  reasons: Map<string, string | null>
}> {
  const { pool } = database()
  const [nodes, waiting] = await Promise.all([
    pool.query({ name: 'snapshot-nodes', text: selectNodes }),
    pool.query<WaitingRow & { reason: string | null; now: Date }>({
      name: 'snapshot-waiting',
      text: `SELECT id, attempt, priority, created_at AS submitted_at, not_before, spec, now(),
                    reason || coalesce(reason_detail, '') AS reason
               FROM jobs WHERE status = 'pending' ORDER BY priority DESC, created_at, id LIMIT $1`,
      values: [queueWindow],
    }),
  ])
  return {
    snapshot: { nodes: nodeRows.parse(nodes.rows), waiting: waiting.rows.map(toWaitingJob) },
    now: waiting.rows[0]?.now.getTime() ?? 0,
    reasons: new Map(waiting.rows.map(({ id, reason }) => [id, reason])),
  }
}

function toWaitingJob(row: WaitingRow): WaitingJob {
  return {
    id: row.id,
    attempt: row.attempt,
    priority: row.priority,
    submittedAt: row.submitted_at.getTime(),
    notBefore: row.not_before?.getTime() ?? null,
    request: requestOf(storedSpecSchema.parse(row.spec)),
  }
}

/** One node as it stands, its row and its GPUs' locked until the transaction ends; null when it is gone. */
export async function lockNode(tx: Transaction, nodeId: string): Promise<NodeState | null> {
  await tx.query({
    name: 'lock-node',
    text: 'SELECT 1 FROM nodes WHERE id = $1 FOR UPDATE',
    values: [nodeId],
  })
  const { rows } = await tx.query({
    name: 'read-node',
    text: `${selectNodes} WHERE n.id = $1`,
    values: [nodeId],
  })
  return nodeRows.parse(rows)[0] ?? null
}
