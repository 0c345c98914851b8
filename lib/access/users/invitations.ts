import { createHash, randomBytes } from 'node:crypto'
import { SlidingWindows } from '../../async/sliding-windows'
import { type GpuqError, notFound, rateLimited } from '../../contract/errors'
import { database } from '../../database/client'
import { findRow, transaction } from '../../database/transaction'
import { recordAudit } from '../audit'
import { hashPassword, withHashingLimit } from '../sessions/passwords'
import { type PasswordOwner, requireStrongPassword } from '../sessions/strong-password'

/** Lifetime of an invitation, as a PostgreSQL interval. */
export const invitationLifetime = '7 days'

/** A link with which its holder can set a user's password once. Only its SHA-256 is stored. */
interface Invitation {
  hash: Buffer
  /** Shown once. */
  url: string
}

/** Creates an invitation; `origin` is the address at which the inviter reached gpuq. */
export function newInvitation(origin: string): Invitation {
  const token = randomBytes(32).toString('base64url')
  return { hash: hashInvitation(token), url: `${origin}/invitations/${token}` }
}

function hashInvitation(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/**
 * Invites an admin who lost the password. For callers with access to the database itself. Chooses the admin by
 * handle or e-mail, otherwise the oldest admin. The old password stays valid until the invitation is accepted.
 * @throws 404 if there is no such enabled admin.
 */
export function inviteAdmin(origin: string, name?: string): Promise<{ handle: string; url: string }> {
  const { hash, url } = newInvitation(origin)
  return transaction(async (tx) => {
    const admin = await findRow<{ handle: string }>(
      tx,
      `UPDATE users SET invitation_hash = $1, invitation_expires_at = now() + interval '${invitationLifetime}'
        WHERE id = (SELECT id FROM users
                     WHERE role = 'admin' AND disabled_at IS NULL
                       AND ($2::text IS NULL OR lower($2) IN (lower(handle), lower(email)))
                     ORDER BY created_at, id LIMIT 1)
        RETURNING handle`,
      [hash, name],
    )
    if (!admin) {
      const whom = name === undefined ? 'admin' : `admin "${name}"`
      throw notFound(`There is no enabled ${whom}.`)
    }
    const detail = { invited: true }
    await recordAudit(tx, { actorId: null, action: 'user_updated', target: admin.handle, detail })
    return { handle: admin.handle, url }
  })
}

interface InvitedRow extends PasswordOwner {
  id: string
}

/** Returns the user of an open invitation, or null if it is wrong, used, expired, or of a disabled user. */
export async function findInvited(token: string): Promise<InvitedRow | null> {
  return findRow<InvitedRow>(
    database().pool,
    `SELECT id, handle, name, email FROM users
      WHERE invitation_hash = $1 AND invitation_expires_at > now() AND disabled_at IS NULL`,
    [hashInvitation(token)],
  )
}

/**
 * Maximum wrong invitations per minute. A valid one is always accepted: its 256 random bits cannot be guessed, and
 * an attacker must not be able to block others.
 */
const wrongPerMinute = 60
const wrongAttempts = new SlidingWindows(60_000, 1)

/** Sets the password of the invited user, uses the invitation up, and returns the user's handle. */
export async function acceptInvitation(token: string, password: string): Promise<string> {
  const invited = await findInvited(token)
  if (!invited) throw refusal()
  await requireStrongPassword('password', password, invited)
  const hash = await withHashingLimit(() => hashPassword(password))
  const handle = await transaction(async (tx) => {
    const user = await findRow<{ id: string; handle: string }>(
      tx,
      `UPDATE users SET password_hash = $2, invitation_hash = NULL, invitation_expires_at = NULL,
              session_epoch = session_epoch + 1
        WHERE invitation_hash = $1 AND invitation_expires_at > now() AND disabled_at IS NULL
        RETURNING id, handle`,
      [hashInvitation(token), hash],
    )
    if (!user) return null
    await recordAudit(tx, { actorId: user.id, action: 'invitation_accepted', target: user.handle })
    return user.handle
  })
  if (handle === null) throw refusal()
  return handle
}

function refusal(): GpuqError {
  const wait = wrongAttempts.hit('all', wrongPerMinute, performance.now())
  if (wait === null) {
    return notFound(
      'This invitation is wrong, was already used, or has expired. Ask your admin for a new one.',
    )
  }
  return rateLimited(
    'There were too many attempts with wrong invitations. Wait a minute and try again.',
    wait,
  )
}
