import type { z } from 'zod'
import { type Actor, requireAdmin } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import type { AuditAction } from '../../contract/access/audit-actions'
import type { ClusterGpu, ClusterNode, updateNodeSchema } from '../../contract/cluster/cluster'
import { GpuqError } from '../../contract/errors'
import { wakeLeader } from '../../database/notify'
import { type Transaction, transaction } from '../../database/transaction'
import { requireOwnEngine } from '../../engine/external-engine'
import { lockGpu, lockNode, noSuchGpu, noSuchNode, type Pause, parseNodeNumber } from '../nodes/locked-node'
import { readNode } from '../overview/read-cluster'

interface PauseRequest {
  paused?: boolean | undefined
  reason?: string | undefined
}

/**
 * Pauses or resumes a node, or ends its quarantine. Running tasks finish in any case. These settings outlive the
 * worker: a node that leaves while paused comes back paused.
 */
export async function updateNode(
  actor: Actor,
  id: string,
  changes: z.output<typeof updateNodeSchema>,
): Promise<ClusterNode> {
  requireAdmin(actor)
  if (changes.paused) requireOwnEngine('pause')
  const number = parseNodeNumber(id)
  await transaction(async (tx) => {
    const node = await lockNode(tx, number)
    const pause = pauseAfter(node, changes)
    const audit = (action: AuditAction, reason?: string | null) =>
      recordAudit(tx, {
        actorId: actor.userId,
        action,
        target: node.name,
        detail: { node_id: number, ...(reason ? { reason } : {}) },
      })
    if (pause) {
      await writePause(tx, 'nodes', node.id, pause)
      await audit(pause.paused ? 'node_paused' : 'node_resumed', changes.reason)
    }
    if (changes.quarantined === false && node.quarantined) {
      await endQuarantine(tx, node.id)
      await audit('quarantine_ended')
    }
  })
  // Also after a pause, so that waiting jobs get their new reason at once.
  wakeLeader()
  const updated = await readNode(actor, number)
  // The node can be forgotten between the update and this read.
  if (!updated) throw noSuchNode()
  return updated
}

/** Pauses or resumes one GPU. Its running tasks finish. */
export async function updateGpu(actor: Actor, id: string, changes: PauseRequest): Promise<ClusterGpu> {
  requireAdmin(actor)
  if (changes.paused) requireOwnEngine('pause')
  const number = await transaction(async (tx) => {
    const { node, gpu } = await lockGpu(tx, id)
    const pause = pauseAfter(gpu, changes)
    if (!pause) return node.number
    await writePause(tx, 'gpus', gpu.id, pause)
    await recordAudit(tx, {
      actorId: actor.userId,
      action: pause.paused ? 'gpu_paused' : 'gpu_resumed',
      target: `${node.name}/${gpu.index}`,
      detail: { gpu_id: gpu.id, ...(changes.reason ? { reason: changes.reason } : {}) },
    })
    return node.number
  })
  wakeLeader()
  const node = await readNode(actor, number)
  const updated = node?.gpus.find(({ gpu_id }) => gpu_id === id.toLowerCase())
  if (!updated) throw noSuchGpu()
  return updated
}

/**
 * Returns the pause after a request, or null if nothing changes. A new reason replaces the reason of an existing
 * pause; without one, the old reason stays.
 * @throws 422 for a reason without a pause.
 */
export function pauseAfter(before: Pause, request: PauseRequest): Pause | null {
  const paused = request.paused ?? before.paused
  if (request.paused === undefined && request.reason !== undefined && !paused) {
    const message = 'requires "paused": true'
    throw new GpuqError('invalid_fields', `reason: ${message}`, { errors: [{ path: 'reason', message }] })
  }
  if (!paused) return before.paused ? { paused, pauseReason: null } : null
  const pauseReason = request.reason ?? (before.paused ? before.pauseReason : null)
  return before.paused && pauseReason === before.pauseReason ? null : { paused, pauseReason }
}

/** A new reason does not change the start time of a pause. */
async function writePause(
  tx: Transaction,
  table: 'nodes' | 'gpus',
  id: string,
  { paused, pauseReason }: Pause,
): Promise<void> {
  await tx.query(
    `UPDATE ${table} SET paused_at = CASE WHEN $2 THEN coalesce(paused_at, now()) END, pause_reason = $3 WHERE id = $1`,
    [id, paused, pauseReason],
  )
}

/** Also resets the counts; otherwise the next failure alone would quarantine the node again, and for longer. */
async function endQuarantine(tx: Transaction, nodeId: string): Promise<void> {
  await tx.query(
    `UPDATE nodes SET quarantined_at = NULL, quarantine_reason = NULL, failures_in_row = 0, probes = 0,
            probed_at = NULL, probe_error = NULL
      WHERE id = $1`,
    [nodeId],
  )
}
