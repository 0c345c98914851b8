import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { type Actor, requireAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { invitationLifetime, newInvitation } from '../access/users/invitations'
import { findUser } from '../access/users/user-rows'
import { conflict } from '../contract/errors'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { findRow, type Transaction, transaction } from '../database/transaction'
import { env, publicUrl } from '../env'
import { type Attempted, withoutAnswer } from './attempted'
import type { InvitationMail, invitationMailsSchema } from './contract-invitation-mails'
import type { ClaimedDelivery } from './outbox'
import { sendMail } from './send-mail'
import type { RequestOptions } from './send-request'

/** The event of a message that invites its user. */
export const invitationEvent = 'user.invited'

/** @throws 409 if gpuq cannot send e-mail. */
export function requireMailServer(): void {
  if (env().GPUQ_SMTP_URL !== undefined) return
  throw conflict('gpuq cannot send e-mail: GPUQ_SMTP_URL is not set. Download the invitations as a file.')
}

/** Adds an e-mail with an invitation for each user to the outbox. A few are sent at a time. */
export async function queueInvitationMails(tx: Transaction, userIds: readonly string[]): Promise<void> {
  await tx.query(
    `INSERT INTO notification_deliveries (id, user_id, event, data, lane)
     SELECT w.id, w.user_id, '${invitationEvent}', '{}', 'invitations' FROM unnest($1::uuid[], $2::uuid[]) AS w (id, user_id)`,
    [userIds.map(() => uuidv7()), userIds],
  )
}

/**
 * Sends an invitation. Its link is made now, so that the database never has one: a further attempt sends a new link, which
 * replaces the one before.
 */
export async function sendInvitationMail(
  delivery: ClaimedDelivery,
  options: Pick<RequestOptions, 'timeoutMs' | 'signal'>,
): Promise<Attempted> {
  const { hash, url } = newInvitation(new URL(publicUrl()).origin)
  const user = await findRow<{ handle: string; expires_at: Date }>(
    database().pool,
    `UPDATE users SET invitation_hash = $2, invitation_expires_at = now() + $3::interval
      WHERE id = $1 AND password_hash IS NULL AND disabled_at IS NULL
      RETURNING handle, invitation_expires_at AS expires_at`,
    [delivery.userId, hash, invitationLifetime],
  )
  if (!user) return withoutAnswer('failed', 'The user has a password already, or is disabled.')
  const text = [
    `You have an account on gpuq with the user id ${user.handle}. Open this link to set your password:`,
    url,
    `The link works once, until ${user.expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
  ].join('\n\n')
  return sendMail(delivery, { subject: 'Your invitation to gpuq', text }, options)
}

/** Lists the latest invitation of each user whose e-mail was not delivered. */
export async function listInvitationMails(actor: Actor): Promise<z.output<typeof invitationMailsSchema>> {
  requireAdmin(actor)
  const { rows } = await database().pool.query<WithDates<InvitationMail, 'created_at'>>(
    `SELECT u.handle AS user_id, u.email, d.problem, d.created_at,
            CASE WHEN d.settled_at IS NOT NULL THEN 'failed' WHEN d.problem IS NULL THEN 'waiting' ELSE 'retrying' END AS state
       FROM (SELECT DISTINCT ON (user_id) * FROM notification_deliveries WHERE event = '${invitationEvent}'
              ORDER BY user_id, created_at DESC, id DESC) d JOIN users u ON u.id = d.user_id
      WHERE u.password_hash IS NULL AND (d.settled_at IS NULL OR d.problem IS NOT NULL)
      ORDER BY d.settled_at IS NULL, d.created_at, d.id LIMIT 200`,
  )
  return { available: env().GPUQ_SMTP_URL !== undefined, mails: rows.map(datesToText) }
}

/** Sends a user an invitation by e-mail, also again. @throws 404; 409 if the user cannot be invited by e-mail. */
export async function inviteByMail(actor: Actor, handle: string): Promise<void> {
  requireAdmin(actor)
  requireMailServer()
  await transaction(async (tx) => {
    const { id, email, disabled } = await findUser(tx, handle)
    if (email === null) throw conflict(`"${handle}" has no e-mail address. Add it first.`)
    if (disabled) throw conflict(`"${handle}" is disabled. Enable the user first.`)
    const { rowCount } = await tx.query('SELECT 1 FROM users WHERE id = $1 AND password_hash IS NULL', [id])
    if (rowCount === 0) throw conflict(`"${handle}" has a password already.`)
    // An attempt that waits would send a second link.
    await tx.query(
      `UPDATE notification_deliveries SET settled_at = now(), problem = 'A later message replaces this one.'
        WHERE user_id = $1 AND event = '${invitationEvent}' AND settled_at IS NULL`,
      [id],
    )
    await queueInvitationMails(tx, [id])
    await recordAudit(tx, { actorId: actor.userId, action: 'invitation_mailed', target: handle })
  })
}
