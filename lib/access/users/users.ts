import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import type { CreatedUser, createUserSchema, listUsersSchema, User } from '../../contract/access/access'
import { conflict, type GpuqError, invalidField } from '../../contract/errors'
import { database } from '../../database/client'
import { cutPage, decodeCursor, type Page } from '../../database/pagination'
import { isUniqueViolation, oneRow, transaction } from '../../database/transaction'
import { type Actor, isAdmin, requireAdmin } from '../actor'
import { recordAudit } from '../audit'
import { localOwnerHandle } from '../local-owner'
import { isServiceAccount } from '../of-competition'
import { hashPassword, withHashingLimit } from '../sessions/passwords'
import { requireStrongPassword } from '../sessions/strong-password'
import { invitationLifetime, newInvitation } from './invitations'
import { findUser, noSuchUser, toUser, type UserRow, userColumns } from './user-rows'

/** Lists all users by handle. The accounts of competitions are no people. */
export async function listUsers(actor: Actor, query: z.output<typeof listUsersSchema>): Promise<Page<User>> {
  requireAdmin(actor)
  const [after] = query.cursor === undefined ? [null] : decodeCursor(query.cursor, 1)
  const { rows } = await database().pool.query<UserRow>(
    `SELECT ${userColumns} FROM users WHERE ($1::text IS NULL OR lower(handle) > $1) AND NOT ${isServiceAccount('users.id')}
      ORDER BY lower(handle) LIMIT $2`,
    [after, query.limit + 1],
  )
  return cutPage(rows, query.limit, ({ handle }) => [handle.toLowerCase()], toUser)
}

/** Reads one user: the actor, or for an admin any user. To others, an existing handle looks like an unknown one. */
export async function getUser(actor: Actor, handle: string): Promise<User> {
  const row = await findUser(database().pool, handle)
  if (row.id !== actor.userId && !isAdmin(actor)) throw noSuchUser()
  return toUser(row)
}

/** Handles with another meaning: in URLs, and for programs of this machine. */
export const reservedHandles: ReadonlySet<string> = new Set(['me', localOwnerHandle])

/**
 * Creates a user. Without a password, the response contains an invitation link; `origin` is the address at which the
 * admin reached gpuq.
 */
export async function createUser(
  actor: Actor,
  input: z.output<typeof createUserSchema>,
  origin: string,
): Promise<CreatedUser> {
  requireAdmin(actor)
  const { user_id: handle, email = null, name = null, role, password } = input
  if (reservedHandles.has(handle.toLowerCase())) {
    throw invalidField('user_id', `"${handle}" is reserved, choose another`)
  }
  if (password !== undefined) await requireStrongPassword('password', password, { handle, name, email })
  const hash = password === undefined ? null : await withHashingLimit(() => hashPassword(password))
  const invitation = password === undefined ? newInvitation(origin) : null
  return transaction(async (tx) => {
    const row = await oneRow<UserRow>(
      tx,
      `INSERT INTO users (id, handle, email, name, role, password_hash, invitation_hash, invitation_expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $7::bytea IS NOT NULL THEN now() + $8::interval END)
       RETURNING ${userColumns}`,
      [uuidv7(), handle, email, name, role, hash, invitation?.hash ?? null, invitationLifetime],
    ).catch((error) => {
      throw userConflict(error, handle)
    })
    const detail = { email, name, role, invited: invitation !== null }
    await recordAudit(tx, { actorId: actor.userId, action: 'user_created', target: handle, detail })
    return { ...toUser(row), invitation_url: invitation?.url ?? null }
  })
}

/** The error for a user id that somebody has. */
export const handleTaken = (handle: string): GpuqError =>
  conflict(`The user id "${handle}" is taken. Choose another.`)

/** Converts a unique violation into an error that names the field; returns other errors unchanged. */
export function userConflict(error: unknown, handle: string): unknown {
  if (['users_handle_key', 'users_handle_lower_key'].some((name) => isUniqueViolation(error, name))) {
    return handleTaken(handle)
  }
  if (['users_email_key', 'users_email_lower_key'].some((name) => isUniqueViolation(error, name))) {
    return conflict('Another user has this e-mail address. Use a different address for each user.')
  }
  return error
}
