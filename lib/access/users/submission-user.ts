import { uuidv7 } from 'uuidv7'
import { GpuqError } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'
import { type Actor, isAdmin } from '../actor'
import { recordAudit } from '../audit'
import { reservedHandles } from './users'

/**
 * The user whose job a submission is: the caller, or for an admin anyone. One whom nobody knows is made, as a researcher
 * without a sign-in.
 * @throws 403 when a researcher names another, 409 for one who is disabled.
 */
export async function findOrCreateUser(
  tx: Transaction,
  actor: Actor,
  handle: string | undefined,
): Promise<string> {
  if (handle === undefined || handle.toLowerCase() === actor.handle.toLowerCase()) return actor.userId
  if (!isAdmin(actor)) {
    throw new GpuqError('forbidden', 'Only admins submit for other users. Leave out user, or make it yours.')
  }
  const user = (await find(tx, handle)) ?? (await create(tx, actor, handle)) ?? (await find(tx, handle))
  if (!user) throw new Error('a user vanished as they were made')
  if (!user.disabled) return user.id
  throw new GpuqError('conflict', `The user "${handle}" is disabled. Enable them first.`)
}

interface Found {
  id: string
  disabled: boolean
}

async function find(tx: Transaction, handle: string): Promise<Found | null> {
  const { rows } = await tx.query<Found>(
    'SELECT id, disabled_at IS NOT NULL AS disabled FROM users WHERE lower(handle) = lower($1)',
    [handle],
  )
  return rows[0] ?? null
}

/** Null when the user exists: another transaction made them meanwhile. */
async function create(tx: Transaction, actor: Actor, handle: string): Promise<Found | null> {
  if (reservedHandles.has(handle.toLowerCase())) {
    const message = `"${handle}" is reserved, choose another`
    throw new GpuqError('invalid_fields', `user: ${message}`, { errors: [{ path: 'user', message }] })
  }
  const { rows } = await tx.query<Found>(
    'INSERT INTO users (id, handle) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id, false AS disabled',
    [uuidv7(), handle],
  )
  if (!rows[0]) return null
  const detail = { role: 'researcher', invited: false, for_a_job: true }
  await recordAudit(tx, { actorId: actor.userId, action: 'user_created', target: handle, detail })
  return rows[0]
}
