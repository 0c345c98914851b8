import { type Actor, requireAdmin } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict } from '../../contract/errors'
import { wakeLeader } from '../../database/notify'
import { type Transaction, transaction } from '../../database/transaction'
import { releaseAllocations } from '../../jobs/lifecycle/release-allocations'
import { type LockedNode, lockGpu, lockNode, parseNodeNumber } from '../nodes/locked-node'

/**
 * Removes a lost node from the list, with its GPUs, its pause and its quarantine. The row stays because past tasks
 * refer to it. The node reappears if a worker serves it again.
 * @throws 409 if a worker serves it or jobs are on it; 404 if it was already forgotten.
 */
export async function forgetNode(actor: Actor, id: string): Promise<void> {
  requireAdmin(actor)
  const number = parseNodeNumber(id)
  await transaction(async (tx) => {
    const node = await lockNode(tx, number)
    await refuseInUse(tx, node)
    await releaseHeldGpus(tx, node)
    await tx.query(
      `UPDATE gpus SET missing = true, forgotten_at = now(), paused_at = NULL, pause_reason = NULL, busy_reason = NULL
        WHERE node_id = $1 AND forgotten_at IS NULL`,
      [node.id],
    )
    // A new lease id fences off any worker that still believes it holds the node.
    await tx.query(
      `UPDATE nodes SET forgotten_at = now(), status = 'drained', lease_id = gen_random_uuid(), lease_expires_at = now(),
              paused_at = NULL, pause_reason = NULL, failures_in_row = 0, quarantined_at = NULL, quarantine_reason = NULL,
              probes = 0, probed_at = NULL, probe_error = NULL
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
  // Jobs that only this node could run need a new wait reason.
  wakeLeader()
}

/**
 * Removes a missing GPU from the list. Past jobs still refer to it. It reappears if its node finds it again.
 * @throws 409 if its node still finds it or a job holds it; 404 if it was already forgotten.
 */
export async function forgetGpu(actor: Actor, id: string): Promise<void> {
  requireAdmin(actor)
  await transaction(async (tx) => {
    const { node, gpu } = await lockGpu(tx, id)
    const name = `GPU ${gpu.index} of ${node.name}`
    if (!gpu.missing) {
      throw conflict(
        node.answers
          ? `${name} is present. Only a missing GPU can be forgotten. To keep jobs off this GPU, pause it.`
          : `${name} was present when its node last reported. If the node will not come back, forget the node.`,
      )
    }
    if (gpu.allocated)
      throw conflict(`A job still holds ${name}. Wait until the job ends, or cancel it, then try again.`)
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
    const advice =
      'To remove simulated nodes, call POST /gpu/initialize with a smaller node_count; 0 removes all.'
    throw conflict(`${node.name} is a simulated node. ${advice}`)
  }
  if (node.answers) {
    const advice = 'Stop its worker first. To keep jobs off the node, pause it.'
    throw conflict(`A worker serves ${node.name}. ${advice}`)
  }
  const { rowCount } = await tx.query(
    `SELECT 1 FROM tasks WHERE node_id = $1 AND status IN ('scheduled', 'starting', 'running') LIMIT 1`,
    [node.id],
  )
  if (rowCount === 0) return
  const advice = 'They are retried on other nodes 30 seconds after the last contact. Try again then.'
  throw conflict(`Jobs are still on ${node.name}. ${advice}`)
}

/**
 * Releases the GPUs of containers that could not be killed. Normally they stay held until a worker on the node sees
 * that the containers are gone. A forgotten node does not wait for that: a worker that returns stops all leftover
 * containers before it offers the node.
 */
async function releaseHeldGpus(tx: Transaction, node: LockedNode): Promise<void> {
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
