import type { z } from 'zod'
import type { changePasswordSchema } from '../../contract/access/access'
import { invalidField, notFound, rateLimited } from '../../contract/errors'
import { database } from '../../database/client'
import { type Transaction, transaction } from '../../database/transaction'
import type { Actor } from '../actor'
import { recordAudit } from '../audit'
import { hashPassword, withHashingLimit } from './passwords'
import { beginSession } from './session'
import type { SessionClient } from './session-client'
import type { SessionClaims } from './session-cookie'
import { checkPassword } from './sign-in'
import { type AttemptClient, describeThrottling } from './sign-in-throttle'
import { type PasswordOwner, requireStrongPassword } from './strong-password'

type ChangePassword = z.output<typeof changePasswordSchema>

/** Changes the actor's own password and ends all of their sessions. Returns a new session for the calling one. */
export async function changeOwnPassword(
  actor: Actor,
  input: ChangePassword,
  client: AttemptClient,
): Promise<SessionClaims | null> {
  const { current_password: current, new_password: wanted } = input
  await requireStrongPassword('new_password', wanted, await ownerOf(actor))
  if (current === undefined) return setFirstPassword(actor, wanted)
  const check = await checkPassword(
    { userId: actor.userId, target: actor.handle, password: current, client },
    async (tx) => storePassword(tx, actor, await hashPassword(wanted)),
  )
  if (check.verdict === 'right') return check.value
  if (check.verdict === 'throttled') {
    const { waitS } = check
    throw rateLimited(describeThrottling(waitS), waitS)
  }
  throw invalidField('current_password', 'this is not your current password')
}

async function ownerOf({ userId, handle }: Actor): Promise<PasswordOwner> {
  const select = { handle: true, name: true, email: true }
  const owner = await database().prisma.user.findUnique({ where: { id: userId }, select })
  return owner ?? { handle, name: null, email: null }
}

/**
 * Sets the password of a user who signed in through an identity provider and has none. Requires a session: a token
 * must not create a password.
 */
async function setFirstPassword(actor: Actor, newPassword: string): Promise<SessionClaims | null> {
  if (actor.via !== 'session') throw invalidField('current_password', 'give your current password')
  const hash = await withHashingLimit(() => hashPassword(newPassword))
  return transaction(async (tx) => {
    const { rowCount } = await tx.query(
      'SELECT 1 FROM users WHERE id = $1 AND password_hash IS NULL FOR UPDATE',
      [actor.userId],
    )
    if (rowCount === 0) throw invalidField('current_password', 'give your current password')
    return storePassword(tx, actor, hash)
  })
}

async function storePassword(tx: Transaction, actor: Actor, hash: string): Promise<SessionClaims | null> {
  const { rowCount } = await tx.query(
    `UPDATE users SET password_hash = $2, session_epoch = session_epoch + 1,
            invitation_hash = NULL, invitation_expires_at = NULL
      WHERE id = $1`,
    [actor.userId, hash],
  )
  if (rowCount === 0) throw notFound('This user no longer exists.')
  const client = await endAllSessions(tx, actor)
  await recordAudit(tx, { actorId: actor.userId, action: 'password_changed', target: actor.handle })
  return client && beginSession(tx, { userId: actor.userId }, client)
}

/** Ends all sessions of the actor. Returns the client of the calling one. */
async function endAllSessions(tx: Transaction, actor: Actor): Promise<SessionClient | null> {
  const { rows } = await tx.query<SessionClient & { id: string }>(
    'DELETE FROM sessions WHERE user_id = $1 RETURNING id, address, user_agent AS "userAgent"',
    [actor.userId],
  )
  return rows.find(({ id }) => id === actor.sessionId) ?? null
}
