import { type Actor, requireScope } from '../access/actor'
import { recordAudit } from '../access/audit'
import { forbidden } from '../contract/errors'
import { transaction } from '../database/transaction'
import { mayChange } from '../jobs/read/job-visibility'
import type { GroupDetail } from './contract'
import { findGroup, readGroup } from './groups'

/** Changes the note of a group, also of one that has ended. @throws 403 if the actor may only read it. */
export async function updateGroup(
  actor: Actor,
  id: string,
  { note }: { note: string | null },
): Promise<GroupDetail> {
  requireScope(actor, 'submit')
  const { group_id: groupId, owner_id: userId } = await findGroup(actor, id)
  if (!mayChange(actor, { userId }))
    throw forbidden('You manage the project of this group. Only its owner and admins may change its note.')
  await transaction(async (tx) => {
    await tx.query(
      `UPDATE job_groups SET spec = CASE WHEN $2::text IS NULL THEN spec - 'note' ELSE spec || jsonb_build_object('note', $2::text) END,
              record_bytes = record_bytes + octet_length(coalesce($2::text, '')) - octet_length(coalesce(spec->>'note', ''))
        WHERE id = $1`,
      [groupId, note || null],
    )
    if (userId !== actor.userId)
      await recordAudit(tx, { actorId: actor.userId, action: 'group_changed', target: groupId })
  })
  return readGroup(actor, groupId)
}
