import { z } from 'zod'
import { type Actor, requireAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { lockNode, noSuchNode, parseNodeNumber } from '../cluster/nodes/locked-node'
import { nodeColumns, shownNodes } from '../cluster/overview/cluster-rows'
import { nodeFactsSchema, nodeState } from '../cluster/overview/cluster-states'
import { GpuqError } from '../contract/errors'
import { database } from '../database/client'
import { transaction } from '../database/transaction'
import { countStatus, type NodeReport, nodeCheckSchema, problemsFirst } from './contract'

const reportRows = z.array(
  z.object({
    node_id: z.number(),
    name: z.string(),
    facts: nodeFactsSchema,
    checkedAt: z.date().nullable(),
    requested: z.boolean(),
    checks: z.array(nodeCheckSchema),
  }),
)

/** Reads the last report of each node, the nodes with most problems first. Simulated nodes have none. */
export async function readNodeReports(actor: Actor): Promise<NodeReport[]> {
  requireAdmin(actor)
  return (await readReports()).toSorted(
    (one, other) =>
      other.failures - one.failures || other.warnings - one.warnings || one.node_id - other.node_id,
  )
}

/**
 * Requests a check of a node. Its worker begins it within seconds.
 * @throws 409 if no worker can check it.
 */
export async function requestCheck(actor: Actor, id: string): Promise<NodeReport> {
  requireAdmin(actor)
  const number = parseNodeNumber(id)
  await transaction(async (tx) => {
    const node = await lockNode(tx, number)
    if (node.simulated)
      throw new GpuqError('conflict', `${node.name} is simulated. Check the node that hosts it.`)
    if (!node.answers)
      throw new GpuqError('conflict', `No worker serves ${node.name}. Start its worker, then check it.`)
    await tx.query(
      `INSERT INTO node_reports (node_id, requested_at) VALUES ($1, clock_timestamp())
       ON CONFLICT (node_id) DO UPDATE SET requested_at = excluded.requested_at`,
      [node.id],
    )
    await recordAudit(tx, { actorId: actor.userId, action: 'node_check_requested', target: node.name })
  })
  const [report] = await readReports(number)
  if (!report) throw noSuchNode()
  return report
}

async function readReports(number: number | null = null): Promise<NodeReport[]> {
  const { rows } = await database().pool.query<z.input<typeof reportRows>[number]>(
    `SELECT ${nodeColumns}, r.checked_at AS "checkedAt", coalesce(r.checks, '[]') AS checks,
            coalesce(r.requested_at > coalesce(r.checked_at, '-infinity'), false) AS requested
       FROM nodes n LEFT JOIN node_reports r ON r.node_id = n.id
      WHERE ${shownNodes} AND NOT n.simulated AND ($1::int IS NULL OR n.number = $1) ORDER BY n.number`,
    [number],
  )
  return reportRows.parse(rows).map(({ facts, checkedAt, requested, checks, ...node }) => {
    const { state } = nodeState(facts)
    return {
      ...node,
      state,
      checked_at: checkedAt?.toISOString() ?? null,
      // A worker that is gone answers no request.
      checking: requested && state !== 'lost' && state !== 'drained',
      failures: countStatus(checks, 'failure'),
      warnings: countStatus(checks, 'warning'),
      checks: problemsFirst(checks),
    }
  })
}
