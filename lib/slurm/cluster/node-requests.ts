import type { z } from 'zod'
import { type Actor, requireAdmin } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict, notFound } from '../../contract/errors'
import { database } from '../../database/client'
import { wakeLeader } from '../../database/notify'
import { transaction } from '../../database/transaction'
import { requireEngine } from '../../engine/external-engine'
import { env } from '../../env'
import { logger } from '../../logger'
import { type SlurmClient, SlurmUnavailable } from '../client/slurm-client'
import type { SlurmNodeView, updateSlurmNodeSchema } from '../contract'
import { readSlurmView } from './read-slurm'
import { readSlurmCluster } from './stored-cluster'

/**
 * Asks for a drain or a resume of a node. The leader passes it on, because the web server may not reach Slurm. A later
 * request replaces an earlier one.
 * @throws 404 for a node that Slurm does not have; 409 if this gpuq may not drain nodes.
 */
export async function requestNodeChange(
  actor: Actor,
  name: string,
  { drained, reason }: z.output<typeof updateSlurmNodeSchema>,
): Promise<SlurmNodeView> {
  requireAdmin(actor)
  requireEngine('slurm', 'This gpuq does not use Slurm. Pause the node instead: PATCH /api/nodes/ID.')
  if (!env().GPUQ_SLURM_ADMIN) {
    throw conflict('This gpuq may not drain nodes of Slurm: use scontrol, or set GPUQ_SLURM_ADMIN=true.')
  }
  const { nodes } = await readSlurmCluster()
  if (!nodes.some((node) => node.name === name)) {
    throw notFound(`Slurm has no node "${name}". GET /api/slurm lists them.`)
  }
  await transaction(async (tx) => {
    await tx.query(
      `INSERT INTO slurm_node_requests (node, drained, reason, requested_by_id) VALUES ($1, $2, $3, $4)
       ON CONFLICT (node) DO UPDATE SET drained = excluded.drained, reason = excluded.reason,
         requested_by_id = excluded.requested_by_id, requested_at = clock_timestamp(), problem = NULL`,
      [name, drained, drained ? reason : null, actor.userId],
    )
    const action = drained ? 'slurm_node_drained' : 'slurm_node_resumed'
    await recordAudit(tx, {
      actorId: actor.userId,
      action,
      target: name,
      detail: reason === undefined ? {} : { reason },
    })
  })
  wakeLeader()
  const node = (await readSlurmView(actor)).nodes.find((shown) => shown.name === name)
  if (!node) throw notFound(`Slurm no longer has a node "${name}".`)
  return node
}

interface NodeRequest {
  node: string
  drained: boolean
  reason: string | null
  /** As text, because a Date has no microseconds. */
  at: string
}

/**
 * Passes the admins' requests on to Slurm; the leader calls it after each poll. A request that Slurm refuses is kept with
 * the reason, and is not repeated. While Slurm does not answer, all requests are kept.
 * @returns the number of requests that Slurm carried out.
 */
export async function applyNodeRequests(client: Pick<SlurmClient, 'setDrained'>): Promise<number> {
  const { pool } = database()
  const { rows } = await pool.query<NodeRequest>({
    name: 'slurm-node-requests',
    text: `SELECT node, drained, reason, requested_at::text AS at FROM slurm_node_requests WHERE problem IS NULL ORDER BY requested_at, node`,
  })
  let applied = 0
  for (const { node, drained, reason, at } of rows) {
    try {
      if (!env().GPUQ_SLURM_ADMIN)
        throw new Error('The worker that leads runs without GPUQ_SLURM_ADMIN=true.')
      await client.setDrained(node, drained ? reason : null)
    } catch (error) {
      if (error instanceof SlurmUnavailable) return applied
      logger.warn({ err: error, node }, 'Slurm refused to drain or resume a node')
      const problem = error instanceof Error ? error.message : String(error)
      // A newer request of the same node is another one.
      await pool.query(
        'UPDATE slurm_node_requests SET problem = $3 WHERE node = $1 AND requested_at = $2::timestamptz',
        [node, at, problem.slice(0, 500)],
      )
      continue
    }
    applied++
    await pool.query('DELETE FROM slurm_node_requests WHERE node = $1 AND requested_at = $2::timestamptz', [
      node,
      at,
    ])
  }
  return applied
}
