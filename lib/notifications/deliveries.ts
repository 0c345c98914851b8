import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type { Actor } from '../access/actor'
import { SlidingWindows } from '../async/sliding-windows'
import { conflict, notFound, rateLimited } from '../contract/errors'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { cutPage, decodeTimeCursor, type Page } from '../database/pagination'
import { oneRow } from '../database/transaction'
import type { Delivery, listDeliveriesSchema } from './contract'
import { noSuchTarget } from './targets'

type DeliveryRow = WithDates<Delivery, 'created_at' | 'next_try_at' | 'settled_at'>

const columns = `d.id, d.event, d.target_id, t.name AS target_name, d.job_id,
  CASE WHEN d.settled_at IS NOT NULL THEN CASE WHEN d.problem IS NULL THEN 'delivered' ELSE 'failed' END
       WHEN d.problem IS NULL THEN 'waiting' ELSE 'retrying' END AS state,
  d.attempts, d.response_status, d.response, d.problem, d.created_at,
  CASE WHEN d.settled_at IS NULL THEN d.next_try_at END AS next_try_at, d.settled_at`
const targets = 'LEFT JOIN notification_targets t ON t.id = d.target_id'

/** Lists the actor's messages, the latest first. */
export async function listDeliveries(
  actor: Actor,
  query: z.output<typeof listDeliveriesSchema>,
): Promise<Page<Delivery>> {
  const after = decodeTimeCursor(query.cursor)
  const { rows } = await database().pool.query<DeliveryRow>(
    `SELECT ${columns} FROM notification_deliveries d ${targets}
      WHERE d.user_id = $1 AND ($2::uuid IS NULL OR d.target_id = $2)
        AND ($3::timestamptz IS NULL OR (d.created_at, d.id) < ($3, $4::uuid))
      ORDER BY d.created_at DESC, d.id DESC LIMIT $5`,
    [actor.userId, query.target ?? null, after.at, after.id, query.limit + 1],
  )
  return cutPage(rows, query.limit, ({ created_at, id }) => [created_at.toISOString(), id], datesToText)
}

/** Writes a test message for a target of the actor, which is delivered as any other. @throws 404, 429. */
export async function sendTest(actor: Actor, targetId: string): Promise<Delivery> {
  const { pool, prisma } = database()
  const { userId } = actor
  const valid = z.uuid().safeParse(targetId).success
  const target = valid
    ? await prisma.notificationTarget.findFirst({
        where: { id: targetId, userId },
        select: { id: true, pausedAt: true },
      })
    : null
  if (!target) throw noSuchTarget()
  if (target.pausedAt) throw conflict('The target is paused. Continue it, then send a test.')
  requireSendingRate(actor)
  const id = uuidv7()
  // The Prisma client would write the time of this process. The next attempt is due by the clock of the database.
  await pool.query(
    `INSERT INTO notification_deliveries (id, user_id, target_id, event, data, lane)
     VALUES ($1, $2, $3::uuid, 'test', '{}', $3::uuid::text)`,
    [id, userId, target.id],
  )
  return readDelivery(id)
}

/**
 * Delivers a message of the actor again, with the same webhook-id. It gets as many attempts as a new one.
 * @throws 404, 409 if it waits for an attempt, 429.
 */
export async function redeliver(actor: Actor, id: string): Promise<Delivery> {
  const valid = z.uuid().safeParse(id).success
  const { pool, prisma } = database()
  const found = valid
    ? await prisma.notificationDelivery.findFirst({
        where: { id, userId: actor.userId },
        select: { settledAt: true, target: { select: { pausedAt: true } } },
      })
    : null
  if (!found)
    throw notFound('There is no such message. GET /api/notifications/deliveries lists your messages.')
  if (!found.settledAt) throw conflict('The message waits for its next attempt. Wait for it.')
  if (found.target?.pausedAt)
    throw conflict('The target is paused. Continue it, then deliver the message again.')
  requireSendingRate(actor)
  await pool.query(
    `UPDATE notification_deliveries SET settled_at = NULL, attempts = 0, next_try_at = now(), problem = NULL,
            response_status = NULL, response = NULL
      WHERE id = $1 AND settled_at IS NOT NULL`,
    [id],
  )
  return readDelivery(id)
}

async function readDelivery(id: string): Promise<Delivery> {
  const select = `SELECT ${columns} FROM notification_deliveries d ${targets} WHERE d.id = $1`
  return datesToText(await oneRow<DeliveryRow>(database().pool, select, [id]))
}

/** Messages that a user may send by hand in a minute: gpuq must not become a means to flood other servers. */
const perMinute = 20
// Next.js loads modules again for each route bundle; the counts are kept once per process.
const shared = globalThis as typeof globalThis & { gpuqSentByHand?: SlidingWindows }
shared.gpuqSentByHand ??= new SlidingWindows(60_000, 20_000)
const windows = shared.gpuqSentByHand

function requireSendingRate({ userId }: Actor): void {
  const waitS = windows.hit(userId, perMinute, performance.now())
  if (waitS === null) return
  throw rateLimited(
    `You may send ${perMinute} tests and repeated messages per minute. Wait ${waitS} s and try again.`,
    waitS,
  )
}
