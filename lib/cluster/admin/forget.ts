import { type Actor, requireAdmin } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { GpuqError } from '../../contract/errors'
import { wakeLeader } from '../../database/notify'
import { type Transaction, transaction } from '../../database/transaction'
import { releaseAllocations } from '../../jobs/lifecycle/release-allocations'
import { type LockedNode, lockGpu, lockNode, parseNodeNumber } from '../nodes/locked-node'

const conflict = (message: string) => new GpuqError('conflict', message)

/**
 * Takes a node that will not come back off the list, with its GPUs, and with what an admin or its failures had set. Its
 * row stays: past tasks name it. Served by a worker again, it is there again.
 * @throws 409 while a worker serves it or jobs are on it; 404 once it is forgotten.
 */
export async function forgetNode(actor: Actor, id: string): Promise<void> {
  requireAdmin(actor)
  const number = parseNodeNumber(id)
  await transaction(async (tx) => {
    const node = await lockNode(tx, number)
    await refuseInUse(tx, node)
    await giveBackHeld(tx, node)
    await tx.query(
      `UPDATE gpus SET missing = true, forgotten_at = now(), paused_at = NULL, pause_reason = NULL, busy_reason = NULL
        WHERE node_id = $1 AND forgotten_at IS NULL`,
      [node.id],
    )
    // A new lease: whatever a worker still believes that has one, it is not this node's any more.
    await tx.query(
      `UPDATE nodes SET forgotten_at = now(), status = 'drained', lease_id = gen_random_uuid(), lease_expires_at = now(),
              paused_at = NULL, pause_reason = NULL, failures_in_row = 0, quarantined_at = NULL, quarantine_reason = NULL
        WHERE id = $1`,
      [node.id],
    )
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'node_forgotten',
      target: node.name,
      detail: { node_id: number },
    })
  })
  // What no other node has is told to the jobs that ask for it.
  wakeLeader()
}

/**
 * Takes a GPU that its node does not find any more off the list. Past jobs go on naming it; found again, it is there again.
 * @throws 409 while its node finds it or a job holds it; 404 once it is forgotten.
 */
export async function forgetGpu(actor: Actor, id: string): Promise<void> {
  requireAdmin(actor)
  await transaction(async (tx) => {
    const { node, gpu } = await lockGpu(tx, id)
    const name = `GPU ${gpu.index} of ${node.name}`
    if (!gpu.missing) {
      throw conflict(
        node.answers
          ? `${name} is there. Only one that its node does not find any more can be forgotten; pause it to keep jobs off it.`
          : `${name} was there when its node last answered. Forget the node, if that will not come back.`,
      )
    }
    if (gpu.allocated)
      throw conflict(`A job still holds ${name}. Wait until it has ended or cancel it, then ask again.`)
    await tx.query(
      'UPDATE gpus SET forgotten_at = now(), paused_at = NULL, pause_reason = NULL WHERE id = $1',
      [gpu.id],
    )
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'gpu_forgotten',
      target: `${node.name}/${gpu.index}`,
      detail: { gpu_id: gpu.id },
    })
  })
}

async function refuseInUse(tx: Transaction, node: LockedNode): Promise<void> {
  if (node.simulated) {
    const advice = 'Make fewer of them with POST /gpu/initialize; a node_count of 0 takes all away.'
    throw conflict(`${node.name} is a simulated node. ${advice}`)
  }
  if (node.answers) {
    const advice = 'Stop its worker there first, or pause the node to keep jobs off it.'
    throw conflict(`A worker serves ${node.name}. ${advice}`)
  }
  const { rowCount } = await tx.query(
    `SELECT 1 FROM tasks WHERE node_id = $1 AND status IN ('scheduled', 'starting', 'running') LIMIT 1`,
    [node.id],
  )
  if (rowCount === 0) return
  const advice = 'They are tried again elsewhere half a minute after it was heard of last: ask again then.'
  throw conflict(`Jobs are still on ${node.name}. ${advice}`)
}

/**
 * GPUs stay held for containers that would not die, until a worker there has seen them gone. Nobody waits for that here:
 * a worker that comes back stops what it finds before it offers the node.
 */
async function giveBackHeld(tx: Transaction, node: LockedNode): Promise<void> {
  const { rows } = await tx.query<{ task_id: string }>(
    `SELECT DISTINCT a.task_id FROM allocations a JOIN gpus g ON g.id = a.gpu_id
      WHERE g.node_id = $1 AND a.released_at IS NULL`,
    [node.id],
  )
  await releaseAllocations(
    tx,
    rows.map(({ task_id }) => task_id),
  )
}
