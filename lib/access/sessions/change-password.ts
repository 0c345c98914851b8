import type { z } from 'zod'
import type { changePasswordSchema } from '../../contract/access'
import { GpuqError, invalidField } from '../../contract/errors'
import { findRow, type Transaction, transaction } from '../../database/transaction'
import type { Actor } from '../actor'
import { recordAudit } from '../audit'
import { hashPassword, withHashingLimit } from './passwords'
import type { SessionClaims } from './session-cookie'
import { checkPassword } from './sign-in'

type ChangePassword = z.output<typeof changePasswordSchema>

/** Changes the actor's own password and ends all of their sessions. Returns new claims for the calling session. */
export async function changeOwnPassword(actor: Actor, input: ChangePassword): Promise<SessionClaims> {
  const { current_password: current, new_password: wanted } = input
  if (current === undefined) return setFirstPassword(actor, wanted)
  let session: SessionClaims | undefined
  const { verdict } = await checkPassword(
    { userId: actor.userId, target: actor.handle, password: current },
    async (tx) => {
      session = await storePassword(tx, actor, await hashPassword(wanted))
    },
  )
  if (session) return session
  if (verdict === 'throttled') {
    throw new GpuqError('rate_limited', 'Too many wrong passwords. Wait 15 minutes and try again.', {
      retryAfterS: 900,
    })
  }
  throw invalidField('current_password', 'this is not your current password')
}

/**
 * Sets the password of a user who signed in through an identity provider and has none. Requires a session: a token
 * must not create a password.
 */
async function setFirstPassword(actor: Actor, newPassword: string): Promise<SessionClaims> {
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

async function storePassword(tx: Transaction, actor: Actor, hash: string): Promise<SessionClaims> {
  const session = await findRow<SessionClaims>(
    tx,
    `UPDATE users SET password_hash = $2, session_epoch = session_epoch + 1,
            invitation_hash = NULL, invitation_expires_at = NULL
      WHERE id = $1 RETURNING id AS sub, session_epoch AS epoch`,
    [actor.userId, hash],
  )
  if (!session) throw new GpuqError('not_found', 'This user no longer exists.')
  await recordAudit(tx, { actorId: actor.userId, action: 'password_changed', target: actor.handle })
  return session
}
