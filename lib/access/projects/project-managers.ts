import type { z } from 'zod'
import type { updateProjectSchema } from '../../contract/access/projects'
import { forbidden, invalidField } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'
import { type Actor, isAdmin } from '../actor'
import { managesMembers, type ProjectRow } from './project-rows'

type ProjectChanges = z.output<typeof updateProjectSchema>

/** @throws 403 unless the actor owns the project or is an admin. */
export function requireOwner(actor: Actor, project: ProjectRow): void {
  if (project.owner_id === actor.userId || isAdmin(actor)) return
  throw forbidden(`Only the owner, "${project.owner}", and admins may change this project.`)
}

/** @throws 403 unless the actor may invite and remove members, and decide about runs. */
export function requireManagesMembers(actor: Actor, project: ProjectRow): void {
  if (managesMembers(actor, project)) return
  throw forbidden(
    `Only the owner, "${project.owner}", managers of the project and admins may change its members, and whether they share runs.`,
  )
}

/**
 * Checks that the actor may make these changes of a project. Everyone may leave. Only admins make managers, because a manager
 * sees the jobs of other users; in a class its owner too, because its members agreed to it.
 * @throws 403 otherwise.
 */
export function requireMayChange(actor: Actor, project: ProjectRow, changes: ProjectChanges): void {
  const { add_members, remove_members = [], add_managers, remove_managers = [], ...others } = changes
  const { add_pushers = [], remove_pushers = [], share_runs, unshare_old_runs = [], ...facts } = others
  const mayMakeManagers = isAdmin(actor) || (project.kind === 'class' && project.owner_id === actor.userId)
  if (add_managers !== undefined && !mayMakeManagers) {
    throw forbidden(
      'Only admins may make someone a manager, because managers see the jobs of others. Ask an admin.',
    )
  }
  const otherThanSelf = (handles: readonly string[]) =>
    handles.filter((handle) => handle.toLowerCase() !== actor.handle.toLowerCase())
  const removed = otherThanSelf(remove_members)
  const changesFacts = Object.values(facts).some((fact) => fact !== undefined)
  const removesManager = removed.some((handle) => isOneOf(project.managers, handle))
  if (changesFacts || removesManager || otherThanSelf(remove_managers).length > 0)
    requireOwner(actor, project)
  else if (
    share_runs !== undefined ||
    [...removed, ...(add_members ?? []), ...add_pushers, ...remove_pushers, ...unshare_old_runs].length > 0
  )
    requireManagesMembers(actor, project)
}

const lower = (handles: readonly string[]) => handles.map((handle) => handle.toLowerCase())

const isOneOf = (handles: readonly string[], handle: string) =>
  handles.some((other) => other.toLowerCase() === handle.toLowerCase())

/** Makes members, or the owner, managers, and managers members again. @throws 422 for others. */
export async function changeManagers(
  tx: Transaction,
  project: ProjectRow,
  { add_managers: added = [], remove_managers: removed = [] }: ProjectChanges,
): Promise<void> {
  if (added.length > 0 && project.kind === 'team')
    throw invalidField('add_managers', 'a team has no managers: only its owner sees the jobs of its members')
  const stranger = added.find((handle) => !isOneOf([project.owner, ...project.members], handle))
  if (stranger !== undefined) {
    throw invalidField(
      'add_managers',
      `"${stranger}" is not a member of the project. Invite the user first, or add the user with an import`,
    )
  }
  await tx.query(
    `INSERT INTO memberships (project_id, user_id, role)
     SELECT $1, u.id, 'manager' FROM users u WHERE lower(u.handle) = ANY ($2::text[])
     ON CONFLICT (project_id, user_id) DO UPDATE SET role = 'manager'`,
    [project.id, lower(added)],
  )
  await tx.query(
    `UPDATE memberships m SET role = 'member' FROM users u
      WHERE m.project_id = $1 AND u.id = m.user_id AND lower(u.handle) = ANY ($2::text[])`,
    [project.id, lower(removed)],
  )
}

/** Gives members the right to push snapshots, and takes it from others. @throws 422 for users who are no members. */
export async function changePushers(
  tx: Transaction,
  { id, owner, members }: ProjectRow,
  { add_pushers: added = [], remove_pushers: removed = [] }: ProjectChanges,
): Promise<void> {
  const stranger = added.find((handle) => !isOneOf([owner, ...members], handle))
  if (stranger !== undefined) {
    throw invalidField('add_pushers', `"${stranger}" is not a member of the project. Invite the user first`)
  }
  for (const [handles, mayPush] of [
    [added, true],
    [removed, false],
  ] as const) {
    if (handles.length === 0) continue
    await tx.query(
      `UPDATE memberships m SET may_push = $3 FROM users u
        WHERE m.project_id = $1 AND u.id = m.user_id AND lower(u.handle) = ANY ($2::text[])`,
      [id, lower(handles), mayPush],
    )
  }
}
