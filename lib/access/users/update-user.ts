import type { z } from 'zod'
import type { CreatedUser, updateUserSchema } from '../../contract/access/access'
import { conflict, invalidField } from '../../contract/errors'
import { acquireAccountLock } from '../../database/locks'
import { findRow, type Transaction, transaction } from '../../database/transaction'
import { externalEngine } from '../../engine/external-engine'
import { type Actor, requireAdmin } from '../actor'
import { recordAudit } from '../audit'
import { assignmentsWithLimits } from '../limits'
import { requirePeople } from '../of-competition'
import { invitationLifetime, newInvitation } from './invitations'
import { findUser, noSuchUser, toUser, type UserRow, userColumns } from './user-rows'
import { userConflict } from './users'

type Changes = z.output<typeof updateUserSchema>

/** What only a person has. The account of a competition has limits and budgets. */
const ofPeople = [
  'email',
  'role',
  'disabled',
  'new_invitation',
  'may_create_classes',
  'may_host_competitions',
] as const

/**
 * Changes a user. Disabling ends their sessions and tokens immediately. The last enabled admin can be neither
 * disabled nor demoted.
 */
export function updateUser(
  actor: Actor,
  handle: string,
  changes: Changes,
  origin: string,
): Promise<CreatedUser> {
  requireAdmin(actor)
  return transaction(async (tx) => {
    const before = await findUser(tx, handle)
    requireBudgetApplies(changes)
    if (ofPeople.some((key) => changes[key] !== undefined)) await requirePeople(tx, [before.id])
    if (changes.disabled || changes.role === 'researcher') await requireAnotherAdmin(tx, before)
    const invitation = changes.new_invitation ? newInvitation(origin) : null
    const row = await writeChanges(tx, before, changes, invitation?.hash)
    const { new_invitation: invited, ...others } = changes
    const detail = { ...others, ...(invited ? { invited } : {}) }
    await recordAudit(tx, { actorId: actor.userId, action: 'user_updated', target: before.handle, detail })
    return { ...toUser(row), invitation_url: invitation?.url ?? null }
  })
}

/** @throws 422 for a budget if an external engine decides: it would not follow it. */
function requireBudgetApplies({ gpu_hour_budget }: Changes): void {
  const engine = externalEngine()
  if (engine && gpu_hour_budget != null) throw invalidField('gpu_hour_budget', engine.says.budget)
}

/**
 * Serializes removals of admins, so that of two admins who remove each other the second is refused. Uses one lock
 * instead of the admins' rows, because other transactions lock those through foreign keys, which would deadlock.
 */
async function requireAnotherAdmin(tx: Transaction, user: UserRow): Promise<void> {
  await acquireAccountLock(tx, 'gpuq admins')
  const { rows } = await tx.query<{ id: string }>(
    "SELECT id FROM users WHERE role = 'admin' AND disabled_at IS NULL",
  )
  const isAdmin = rows.some(({ id }) => id === user.id)
  if (!isAdmin || rows.length > 1) return
  throw conflict(`"${user.handle}" is the last enabled admin. Make another user an admin first.`)
}

async function writeChanges(
  tx: Transaction,
  before: UserRow,
  changes: Changes,
  invitationHash: Buffer | undefined,
): Promise<UserRow> {
  const {
    name,
    email,
    role,
    disabled,
    limits = {},
    may_create_classes,
    may_host_competitions,
    ...others
  } = changes
  const { storage_quota_gib, gpu_hour_budget, budget_period, budget_when_used_up, unix_uid, unix_gid } =
    others
  const columns = {
    name,
    email,
    role,
    may_create_classes,
    may_host_competitions,
    storage_quota_gib,
    gpu_hour_budget,
    budget_period,
    budget_when_used_up,
    unix_uid,
    unix_gid,
    invitation_hash: invitationHash,
  }
  const set = assignmentsWithLimits(columns, limits, 2)
  if (invitationHash) set.list.push(`invitation_expires_at = now() + interval '${invitationLifetime}'`)
  if (disabled === true)
    set.list.push('disabled_at = coalesce(disabled_at, now())', 'session_epoch = session_epoch + 1')
  if (disabled === false) set.list.push('disabled_at = NULL')
  if (set.list.length === 0) return before
  const update = `UPDATE users SET ${set.list.join(', ')} WHERE id = $1 RETURNING ${userColumns}`
  const row = await findRow<UserRow>(tx, update, [before.id, ...set.values]).catch((error) => {
    throw userConflict(error, before.handle)
  })
  if (!row) throw noSuchUser()
  return row
}
