import { z } from 'zod'
import { notFound } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'
import { notRemoved } from '../../jobs/config/registered-nodes'

/** Whether an admin paused a node or a GPU, and why. */
export interface Pause {
  paused: boolean
  pauseReason: string | null
}

/** A node whose row is locked until the transaction ends. */
export interface LockedNode extends Pause {
  id: string
  name: string
  number: number
  quarantined: boolean
  simulated: boolean
  /** Whether its worker holds the lease. */
  answers: boolean
}

/** One of its GPUs, also locked. */
interface LockedGpu extends Pause {
  id: string
  index: number
  missing: boolean
  allocated: boolean
}

const noSuch = (what: string) => notFound(`There is no ${what}. GET /api/cluster lists the existing ones.`)
export const noSuchNode = () => noSuch('node with this number')
export const noSuchGpu = () => noSuch('GPU with this id')

/** Larger numbers do not fit into the database's integer type. */
const nodeNumber = /^(0|[1-9]\d{0,8})$/

/** @throws 404 if the text is not a valid node number. */
export function parseNodeNumber(text: string): number {
  if (!nodeNumber.test(text)) throw noSuchNode()
  return Number(text)
}

/** @throws 404 if the node does not exist, was forgotten, or was removed. */
export async function lockNode(tx: Transaction, number: number): Promise<LockedNode> {
  const node = await findNode(tx, 'n.number = $1', number)
  if (!node) throw noSuchNode()
  return node
}

/**
 * Locks a GPU and its node. A placement locks the node's row too, so after this transaction no earlier plan can put
 * a job on the GPU.
 * @throws 404 like {@link lockNode}.
 */
export async function lockGpu(tx: Transaction, id: string): Promise<{ node: LockedNode; gpu: LockedGpu }> {
  if (!z.uuid().safeParse(id).success) throw noSuchGpu()
  const node = await findNode(tx, 'n.id = (SELECT node_id FROM gpus WHERE id = $1)', id)
  const { rows } = await tx.query<LockedGpu>(
    `SELECT id, index, missing, allocated_milli > 0 AS allocated, paused_at IS NOT NULL AS paused,
            pause_reason AS "pauseReason"
       FROM gpus WHERE id = $1 AND forgotten_at IS NULL AND NOT (missing AND simulated) FOR UPDATE`,
    [id],
  )
  const [gpu] = rows
  if (!node || !gpu) throw noSuchGpu()
  return { node, gpu }
}

async function findNode(tx: Transaction, where: string, value: unknown): Promise<LockedNode | undefined> {
  const { rows } = await tx.query<LockedNode>(
    `SELECT n.id, n.name, n.number, n.simulated, n.paused_at IS NOT NULL AS paused, n.pause_reason AS "pauseReason",
            n.quarantined_at IS NOT NULL AS quarantined, n.lease_expires_at > now() AND n.status <> 'lost' AS answers
       FROM nodes n WHERE ${where} AND n.forgotten_at IS NULL AND ${notRemoved('n')} FOR UPDATE OF n`,
    [value],
  )
  return rows[0]
}
