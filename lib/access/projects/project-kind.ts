import type { AgreedKind } from '../../contract/access/project-kinds'
import { conflict, forbidden } from '../../contract/errors'
import { findRow, type Transaction } from '../../database/transaction'
import { type Actor, isAdmin } from '../actor'
import type { ProjectRow } from './project-rows'

/** Returns true if the actor may make teams and classes: admins, and users to whom an admin gave the right. */
export async function mayCreateClasses(executor: Transaction, actor: Actor): Promise<boolean> {
  if (isAdmin(actor)) return true
  const select = 'SELECT 1 FROM users WHERE id = $1 AND may_create_classes'
  return (await findRow(executor, select, [actor.userId])) !== null
}

/** @throws 403 unless the actor may make teams and classes. */
export async function requireMayCreateClasses(executor: Transaction, actor: Actor): Promise<void> {
  if (await mayCreateClasses(executor, actor)) return
  throw forbidden(
    'Teams and classes are made by admins, and by users with the right "may create classes". Ask an admin for the right, or create a private project.',
  )
}

/**
 * Turns a private project into a team or a class, which is possible once. Nobody has agreed to it yet, so its members' jobs are
 * unseen until each of them agrees.
 * @throws 403 without the right, 409 if the project has another kind already.
 */
export async function turnProject(
  tx: Transaction,
  actor: Actor,
  project: ProjectRow,
  kind: AgreedKind,
): Promise<void> {
  await requireMayCreateClasses(tx, actor)
  const { rowCount } = await tx.query(
    `UPDATE projects SET kind = $2::"ProjectKind" WHERE id = $1 AND kind = 'private'`,
    [project.id, kind],
  )
  if (rowCount !== 1)
    throw conflict(`The project has a kind already, and keeps it. Create another project for a ${kind}.`)
  // Only its owner sees the jobs of a team.
  if (kind === 'team')
    await tx.query(`UPDATE memberships SET role = 'member' WHERE project_id = $1`, [project.id])
}
