import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import { type Actor, isAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { encryptSecret } from '../access/encrypt-secret'
import type { AuditAction } from '../contract/access/audit-actions'
import { conflict, invalidField, notFound } from '../contract/errors'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { findRow, oneRow, type Transaction, transaction } from '../database/transaction'
import { env } from '../env'
import type {
  createTargetSchema,
  Notifications,
  NotificationTarget,
  TargetConfig,
  updateTargetSchema,
} from './contract'
import { isAdminEvent, type NotificationEvent } from './contract-events'

type TargetRow = WithDates<NotificationTarget, 'created_at' | 'paused_at'>

/** Everything but the encrypted address. */
const columns = 'id, kind, name, address, events, wait_minutes, created_at, paused_at, pause_reason'
const mostTargets = 20

/** Reads where the actor is notified. */
export async function readNotifications(actor: Actor): Promise<Notifications> {
  const { pool, prisma } = database()
  const { userId } = actor
  const { rows: targets } = await pool.query<TargetRow>(
    `SELECT ${columns} FROM notification_targets WHERE user_id = $1 ORDER BY created_at, id`,
    [userId],
  )
  const secret = await prisma.webhookSecret.findUnique({ where: { userId }, select: { createdAt: true } })
  const secret_created_at = secret?.createdAt.toISOString() ?? null
  return { targets: targets.map(datesToText), email: await mailAddressOf(actor), secret_created_at }
}

/** The address for e-mail to the actor; null: their account has none, or there is no SMTP server. */
async function mailAddressOf({ userId }: Actor): Promise<string | null> {
  if (env().GPUQ_SMTP_URL === undefined) return null
  const { prisma } = database()
  return (await prisma.user.findUniqueOrThrow({ where: { id: userId }, select: { email: true } })).email
}

/** Adds a target of the actor. @throws 409 if they have too many, 422 if they may not have its events. */
export async function createTarget(
  actor: Actor,
  input: z.output<typeof createTargetSchema>,
): Promise<NotificationTarget> {
  const { name, events, wait_minutes: waitMinutes, ...config } = input
  requireEvents(actor, events)
  const address = await addressOf(actor, config)
  const id = uuidv7()
  const encrypted = await encryptSecret('gpuq notification targets', id, JSON.stringify(config))
  return transaction(async (tx) => {
    await requireTargetQuota(tx, actor)
    const created = await oneRow<TargetRow>(
      tx,
      `INSERT INTO notification_targets (id, user_id, kind, name, address, config, events, wait_minutes)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${columns}`,
      [id, actor.userId, config.kind, name, address, encrypted, events, waitMinutes],
    )
    await recordTarget(tx, actor, 'notification_target_created', created)
    return datesToText(created)
  })
}

/** What may be shown of an address: paths and queries of webhooks often contain a key. */
async function addressOf(actor: Actor, config: TargetConfig): Promise<string> {
  if (config.kind === 'email') {
    const address = await mailAddressOf(actor)
    if (address !== null) return address
    throw invalidField(
      'kind',
      env().GPUQ_SMTP_URL === undefined
        ? 'gpuq cannot send e-mail: an admin must set GPUQ_SMTP_URL'
        : 'your account has no e-mail address: ask an admin to add it',
    )
  }
  return new URL(config.kind === 'matrix' ? config.homeserver : config.url).origin
}

/** Changes a target of the actor. A message that waits for a paused target is given up. @throws 404, 422. */
export function updateTarget(
  actor: Actor,
  id: string,
  change: z.output<typeof updateTargetSchema>,
): Promise<NotificationTarget> {
  requireEvents(actor, change.events ?? [])
  return transaction(async (tx) => {
    const { name = null, events = null, wait_minutes: waitMinutes = null, paused = null } = change
    const updated = await findTarget(
      tx,
      `UPDATE notification_targets SET name = coalesce($3, name), events = coalesce($4, events),
              wait_minutes = coalesce($5, wait_minutes),
              paused_at = CASE WHEN $6::boolean IS NULL THEN paused_at WHEN $6 THEN coalesce(paused_at, now()) END,
              pause_reason = CASE WHEN $6::boolean IS NULL THEN pause_reason END
        WHERE id = $1 AND user_id = $2 RETURNING ${columns}`,
      [id, actor.userId, name, events, waitMinutes, paused],
    )
    if (paused) {
      await tx.query(
        `UPDATE notification_deliveries SET settled_at = now(), problem = 'The target was paused.'
          WHERE target_id = $1 AND settled_at IS NULL`,
        [id],
      )
    }
    await recordTarget(tx, actor, 'notification_target_updated', updated, change)
    return datesToText(updated)
  })
}

/** Deletes a target of the actor with its log. @throws 404. */
export function deleteTarget(actor: Actor, id: string): Promise<void> {
  return transaction(async (tx) => {
    const deleted = await findTarget(
      tx,
      `DELETE FROM notification_targets WHERE id = $1 AND user_id = $2 RETURNING ${columns}`,
      [id, actor.userId],
    )
    await recordTarget(tx, actor, 'notification_target_deleted', deleted)
  })
}

async function findTarget(tx: Transaction, statement: string, values: unknown[]): Promise<TargetRow> {
  const valid = z.uuid().safeParse(values[0]).success
  const found = valid ? await findRow<TargetRow>(tx, statement, values) : null
  if (!found) throw noSuchTarget()
  return found
}

export function noSuchTarget() {
  return notFound('There is no such target. GET /api/notifications lists your targets.')
}

async function recordTarget(
  tx: Transaction,
  actor: Actor,
  action: AuditAction,
  { id, kind, name, address }: TargetRow,
  changes: z.output<typeof updateTargetSchema> = {},
): Promise<void> {
  const detail = { ...changes, id, kind, name, address }
  await recordAudit(tx, { actorId: actor.userId, action, target: actor.handle, detail })
}

function requireEvents(actor: Actor, events: readonly NotificationEvent[]): void {
  const refused = isAdmin(actor) ? undefined : events.find(isAdminEvent)
  if (refused) throw invalidField('events', `only admins can choose "${refused}": leave it out`)
}

async function requireTargetQuota(tx: Transaction, { userId }: Actor): Promise<void> {
  await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId])
  const { full } = await oneRow<{ full: boolean }>(
    tx,
    'SELECT count(*) >= $2 AS full FROM notification_targets WHERE user_id = $1',
    [userId, mostTargets],
  )
  if (full) throw conflict(`You already have ${mostTargets} targets. Delete one of them first.`)
}
