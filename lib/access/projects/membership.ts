import type { z } from 'zod'
import type { AuditAction } from '../../contract/access/audit-actions'
import type { AgreedKind } from '../../contract/access/project-kinds'
import type { Project, updateMembershipSchema } from '../../contract/access/projects'
import { conflict } from '../../contract/errors'
import { type Transaction, transaction } from '../../database/transaction'
import type { Actor } from '../actor'
import { recordAudit } from '../audit'
import { requireAgreement } from './agreement'
import type { ProjectRow } from './project-rows'
import { findVisible, getProject } from './projects'

/**
 * Changes what a member decides alone: the agreement to the kind of the project, and that their configs with its name mean it.
 * @throws 404 for a stranger, 409 for another kind than that of the project.
 */
export async function updateMembership(
  actor: Actor,
  id: string,
  { agree_to, preferred }: z.output<typeof updateMembershipSchema>,
): Promise<Project> {
  await transaction(async (tx) => {
    const project = await findVisible(tx, actor, id)
    requireBelongs(actor, project)
    if (agree_to !== undefined) await agree(tx, actor, project, agree_to)
    if (preferred) await prefer(tx, actor, project)
  })
  return getProject(actor, id)
}

/** An admin sees projects to which they do not belong. */
function requireBelongs(actor: Actor, { owner_id, members }: ProjectRow): void {
  if (owner_id === actor.userId || members.includes(actor.handle)) return
  throw conflict('You are no member of this project. Join it first.')
}

async function agree(tx: Transaction, actor: Actor, project: ProjectRow, kind: AgreedKind): Promise<void> {
  await requireAgreement(tx, project.id, kind)
  const { rowCount } = await tx.query(
    `UPDATE memberships SET agreed_at = now(), agreed_kind = $3::"ProjectKind"
      WHERE project_id = $1 AND user_id = $2 AND agreed_at IS NULL`,
    [project.id, actor.userId, kind],
  )
  if (rowCount === 1) await record(tx, actor, project, 'project_agreed', { agreed_to: kind })
}

async function prefer(tx: Transaction, actor: Actor, project: ProjectRow): Promise<void> {
  const update =
    project.owner_id === actor.userId
      ? 'UPDATE projects SET preferred_at = clock_timestamp() WHERE id = $1 AND owner_id = $2'
      : 'UPDATE memberships SET preferred_at = clock_timestamp() WHERE project_id = $1 AND user_id = $2'
  await tx.query(update, [project.id, actor.userId])
  await record(tx, actor, project, 'project_preferred')
}

function record(
  tx: Transaction,
  { userId }: Actor,
  { id, owner, slug }: ProjectRow,
  action: AuditAction,
  detail: Record<string, string> = {},
): Promise<void> {
  return recordAudit(tx, { actorId: userId, action, target: `${owner}/${slug}`, detail: { id, ...detail } })
}
