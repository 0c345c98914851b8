import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../access/testing/people'
import { markExpiredNodesLost } from '../cluster/nodes/lost-nodes'
import { makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { setFreeBytes } from '../storage/free-space'
import { createTargetSchema } from './contract'
import { deliver } from './deliver'
import { dueDeliveries } from './outbox'
import { createTarget } from './targets'
import { type Receiver, startReceiver } from './testing/receiver'
import { notifyLowDisk } from './watch-disk'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let receiver: Receiver
let admin: Person
beforeEach(async () => {
  await db.pool.query('TRUNCATE nodes, users CASCADE')
  receiver = await startReceiver()
  admin = await makePerson('admin')
})
afterEach(async () => {
  setFreeBytes(null)
  await receiver.close()
})

function addTarget(person = admin) {
  const events = ['node.lost', 'node.quarantined', 'disk.low']
  const input = { kind: 'webhook', name: 'pager', url: receiver.url, events }
  return createTarget(person.actor, createTargetSchema.parse(input))
}

async function deliverAll(): Promise<void> {
  await db.pool.query(`UPDATE notification_deliveries SET next_try_at = now() - interval '1 second'`)
  const options = { allowPrivate: true, timeoutMs: 60_000, signal: new AbortController().signal }
  for (const { id } of await dueDeliveries(100, 100, 100)) await deliver(id, options)
}
const received = () => receiver.received.map(({ body: { type, node, reason } }) => ({ type, node, reason }))

/** The names of nodes that were just lost. */
async function loseNode(): Promise<string[]> {
  const { nodeId } = await makeNode()
  await db.pool.query(
    `UPDATE nodes SET status = 'ready', lease_expires_at = now() - interval '1 minute' WHERE id = $1`,
    [nodeId],
  )
  return markExpiredNodesLost()
}

it('admins are notified once of a lost node', async () => {
  await addTarget()
  const [node] = await loseNode()
  await markExpiredNodesLost()
  await deliverAll()
  expect(received()).toEqual([{ type: 'node.lost', node, reason: null }])
  expect(receiver.received[0]?.body.url).toMatch(/\/cluster$/)
})

it('admins are notified once of a quarantine, with its reason', async () => {
  await addTarget()
  const { nodeId } = await makeNode()
  for (const reason of ['no image', 'still no image'])
    await db.pool.query(
      'UPDATE nodes SET quarantined_at = coalesce(quarantined_at, now()), quarantine_reason = $2 WHERE id = $1',
      [nodeId, reason],
    )
  await deliverAll()
  expect(received()).toMatchObject([{ type: 'node.quarantined', reason: 'no image' }])
})

it('admins are notified of a full disk, at most every six hours', async () => {
  await addTarget()
  setFreeBytes(async () => 100 * 1024 ** 3)
  await notifyLowDisk()
  setFreeBytes(async () => 1024 ** 3)
  await Promise.all([notifyLowDisk(), notifyLowDisk()])
  await deliverAll()
  expect(received()).toEqual([
    { type: 'disk.low', node: undefined, reason: expect.stringMatching(/^1(\.0)? GiB are free/) },
  ])
  await db.pool.query(`UPDATE notification_deliveries SET created_at = now() - interval '7 hours'`)
  await notifyLowDisk()
  await deliverAll()
  expect(received()).toHaveLength(2)
})

it('a user who is not an admin any more, or disabled, is not notified', async () => {
  const other = await makePerson('admin')
  await addTarget()
  await addTarget(other)
  await db.pool.query(`UPDATE users SET role = 'researcher' WHERE id = $1`, [admin.id])
  await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [other.id])
  await loseNode()
  await deliverAll()
  expect(received()).toEqual([])
})
