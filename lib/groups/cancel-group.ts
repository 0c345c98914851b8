import { type Actor, requireScope } from '../access/actor'
import { recordAudit } from '../access/audit'
import { conflict } from '../contract/errors'
import type { CancelReason } from '../contract/reasons'
import { database } from '../database/client'
import { wakeLeader } from '../database/notify'
import { findRow, type Transaction, transaction } from '../database/transaction'
import { cancelReasonOf } from '../jobs/lifecycle/cancel'
import { cancelLiveMembers } from './cancel-members'
import type { GroupDetail } from './contract'
import { findGroup, noSuchGroup, readGroup } from './groups'

/** Cancels a group: its members that wait or run, and those that it holds. @throws 409 if it has ended otherwise. */
export async function cancelGroup(actor: Actor, id: string): Promise<GroupDetail> {
  requireScope(actor, 'submit')
  const { group_id: groupId, owner_id } = await findGroup(actor, id)
  const reason = cancelReasonOf(actor, { userId: owner_id })
  await transaction(async (tx) => {
    const row = await findRow<{ ended_at: Date | null; cancelled_at: Date | null }>(
      tx,
      'SELECT ended_at, cancelled_at FROM job_groups WHERE id = $1 FOR UPDATE',
      [groupId],
    )
    if (!row) throw noSuchGroup()
    if (row.cancelled_at !== null) return
    if (row.ended_at !== null) throw conflict('The group has already ended. There is nothing to cancel.')
    await cancelOpen(tx, groupId, reason)
    await recordAudit(tx, { actorId: actor.userId, action: 'group_cancelled', target: groupId })
  })
  await cancelLiveMembers(groupId, reason)
  wakeLeader()
  return readGroup(actor, id)
}

/**
 * Cancels what a group holds, if it has not ended and nobody has cancelled it. Cancel its live members afterwards; a leader does it if the
 * caller dies. Returns false if it has ended or was cancelled.
 * @param problem why, as a sentence; null: the reason says everything
 */
export async function cancelOpen(
  tx: Transaction,
  groupId: string,
  reason: CancelReason,
  problem: string | null = null,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE job_groups SET held = 0, code = '', problem = $3, cancelled_at = now(), cancel_reason = $2
      WHERE id = $1 AND ended_at IS NULL AND cancelled_at IS NULL`,
    [groupId, reason, problem],
  )
  if (rowCount !== 1) return false
  await tx.query(`UPDATE group_members SET state = 'cancelled' WHERE group_id = $1 AND state = 'held'`, [
    groupId,
  ])
  await tx.query('DELETE FROM group_dependencies WHERE group_id = $1', [groupId])
  return true
}

/** Cancels what groups hold whose budget is used up. The leader then cancels their live members. Returns whether there were any. */
export async function cancelUsedUp(): Promise<boolean> {
  const { rows } = await database().pool.query<{ id: string; detail: string }>({
    name: 'groups-without-budget',
    text: `SELECT g.id, b.detail FROM used_up_budgets b JOIN job_groups g ON g.id = b.owner_id
            WHERE g.ended_at IS NULL AND g.cancelled_at IS NULL ORDER BY g.id`,
  })
  for (const { id, detail } of rows) await transaction((tx) => cancelOpen(tx, id, 'budget_used_up', detail))
  return rows.length > 0
}
