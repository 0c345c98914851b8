import { z } from 'zod'
import { type Actor, requireAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { wakeLeader } from '../database/notify'
import { type Transaction, transaction } from '../database/transaction'
import { GpuqError } from '../errors'
import { type Pause, type PauseRequest, pauseAfter, writePause } from './pause'
import { readNode } from './read-cluster'
import type { ClusterGpu, ClusterNode, updateNodeSchema } from './schemas'
import { notRetired } from './simulated-nodes'

interface LockedNode extends Pause {
  id: string
  name: string
  number: number
  quarantined: boolean
}

const noSuch = (what: string) =>
  new GpuqError('not_found', `There is no ${what}. Look at /api/cluster for those there are.`)
const noSuchNode = () => noSuch('node with this number')
const noSuchGpu = () => noSuch('GPU with this id')

/** Larger numbers do not fit the database's integer, and name no node. */
const nodeNumber = /^(0|[1-9]\d{0,8})$/

/**
 * Pauses or resumes a node, or ends its quarantine. What runs there finishes in any case. What an admin set outlives
 * the worker: a node that leaves while it is paused comes back paused.
 */
export async function updateNode(
  actor: Actor,
  id: string,
  changes: z.output<typeof updateNodeSchema>,
): Promise<ClusterNode> {
  requireAdmin(actor)
  if (!nodeNumber.test(id)) throw noSuchNode()
  const number = Number(id)
  await transaction(async (tx) => {
    const node = await lockNode(tx, 'n.number = $1', number)
    if (!node) throw noSuchNode()
    const pause = pauseAfter(node, changes)
    const audit = (action: string, reason?: string | null) =>
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
  // After a pause as well: jobs that wait are told the new reason at once.
  wakeLeader()
  return shown(await readNode(actor, number), noSuchNode)
}

/** Pauses or resumes one GPU. What runs on it finishes. */
export async function updateGpu(actor: Actor, id: string, changes: PauseRequest): Promise<ClusterGpu> {
  requireAdmin(actor)
  if (!z.uuid().safeParse(id).success) throw noSuchGpu()
  const number = await transaction(async (tx) => {
    // Its node's row is what a placement locks: once this has answered, none that began before puts a job on the GPU.
    const node = await lockNode(tx, 'n.id = (SELECT node_id FROM gpus WHERE id = $1)', id)
    const gpu = node && (await lockGpu(tx, id))
    if (!gpu) throw noSuchGpu()
    const pause = pauseAfter(gpu, changes)
    if (!pause) return node.number
    await writePause(tx, 'gpus', id, pause)
    await recordAudit(tx, {
      actorId: actor.userId,
      action: pause.paused ? 'gpu_paused' : 'gpu_resumed',
      target: `${node.name}/${gpu.index}`,
      detail: { gpu_id: id, ...(changes.reason ? { reason: changes.reason } : {}) },
    })
    return node.number
  })
  wakeLeader()
  const node = await readNode(actor, number)
  return shown(
    node?.gpus.find((gpu) => gpu.gpu_id === id.toLowerCase()),
    noSuchGpu,
  )
}

async function lockNode(tx: Transaction, where: string, value: unknown): Promise<LockedNode | undefined> {
  const { rows } = await tx.query<LockedNode>(
    `SELECT n.id, n.name, n.number, n.paused_at IS NOT NULL AS paused, n.pause_reason AS "pauseReason",
            n.quarantined_at IS NOT NULL AS quarantined
       FROM nodes n WHERE ${where} AND ${notRetired('n')} FOR UPDATE OF n`,
    [value],
  )
  return rows[0]
}

async function lockGpu(tx: Transaction, id: string): Promise<(Pause & { index: number }) | undefined> {
  const { rows } = await tx.query<Pause & { index: number }>(
    `SELECT index, paused_at IS NOT NULL AS paused, pause_reason AS "pauseReason" FROM gpus
      WHERE id = $1 AND NOT (missing AND simulated) FOR UPDATE`,
    [id],
  )
  return rows[0]
}

/** Its failures are forgotten with it, or the next one alone would close the node again. */
async function endQuarantine(tx: Transaction, nodeId: string): Promise<void> {
  await tx.query(
    'UPDATE nodes SET quarantined_at = NULL, quarantine_reason = NULL, failures_in_row = 0 WHERE id = $1',
    [nodeId],
  )
}

/** It can be gone again by the time it is read. */
function shown<Thing>(thing: Thing | null | undefined, otherwise: () => GpuqError): Thing {
  if (!thing) throw otherwise()
  return thing
}
