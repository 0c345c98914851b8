import { uuidv7 } from 'uuidv7'
import { conflict, forbidden, invalidField } from '../../contract/errors'
import { findRow, type Transaction } from '../../database/transaction'
import { type Actor, isAdmin } from '../actor'
import { recordAudit } from '../audit'
import { requirePeople } from '../of-competition'
import { reservedHandles } from './users'

const isCaller = (actor: Actor, handle: string) => handle.toLowerCase() === actor.handle.toLowerCase()

/** @throws 403 if a researcher names another user. */
export function requireMaySubmitFor(actor: Actor, handle: string | undefined): void {
  if (handle === undefined || isCaller(actor, handle) || isAdmin(actor)) return
  throw forbidden('Only admins may submit for other users. Leave out user, or set it to your own id.')
}

/**
 * Returns the user for a submission: the caller, or for an admin any user. Creates an unknown user as a researcher
 * without sign-in.
 * @throws 403 if a researcher names another user, 409 if the user is disabled, or the account of a competition.
 */
export async function findOrCreateUser(
  tx: Transaction,
  actor: Actor,
  handle: string | undefined,
): Promise<string> {
  if (handle === undefined || isCaller(actor, handle)) return actor.userId
  requireMaySubmitFor(actor, handle)
  const user = (await find(tx, handle)) ?? (await create(tx, actor, handle)) ?? (await find(tx, handle))
  if (!user) throw new Error('The user disappeared during the submission. Submit again.')
  await requirePeople(tx, [user.id])
  if (!user.disabled) return user.id
  throw conflict(`The user "${handle}" is disabled. Ask an admin to enable the user first.`)
}

interface SubmissionUser {
  id: string
  disabled: boolean
}

function find(tx: Transaction, handle: string): Promise<SubmissionUser | null> {
  const select = 'SELECT id, disabled_at IS NOT NULL AS disabled FROM users WHERE lower(handle) = lower($1)'
  return findRow<SubmissionUser>(tx, select, [handle])
}

/** Returns null if another transaction created the user in the meantime. */
async function create(tx: Transaction, actor: Actor, handle: string): Promise<SubmissionUser | null> {
  if (reservedHandles.has(handle.toLowerCase())) {
    throw invalidField('user', `"${handle}" is reserved, choose another`)
  }
  const user = await findRow<SubmissionUser>(
    tx,
    'INSERT INTO users (id, handle) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id, false AS disabled',
    [uuidv7(), handle],
  )
  if (!user) return null
  const detail = { role: 'researcher', invited: false, for_a_job: true }
  await recordAudit(tx, { actorId: actor.userId, action: 'user_created', target: handle, detail })
  return user
}
