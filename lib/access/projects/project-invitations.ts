import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type { answerInvitationSchema, ProjectInvitation } from '../../contract/access/projects'
import { conflict, notFound } from '../../contract/errors'
import { database } from '../../database/client'
import { datesToText, type WithDates } from '../../database/dates'
import { findRow, oneRow, type Transaction, transaction } from '../../database/transaction'
import type { Actor } from '../actor'
import { recordAudit } from '../audit'
import { insertMember, requireAgreement } from './agreement'

/** Lifetime of an invitation, as a PostgreSQL interval. */
const lifetime = '30 days'

/** Open invitations of one project. Enough for a course, and it limits the database's growth. */
const invitationsPerProject = 1000

/** SQL condition for the handles of a project's owner and members, in lower case. */
const belongsTo = (project: string) => `
  SELECT lower(u.handle) FROM users u
   WHERE u.id = (SELECT owner_id FROM projects WHERE id = ${project})
      OR u.id IN (SELECT user_id FROM memberships WHERE project_id = ${project})`

/**
 * Invites users by handle. Does the same for handles that no user has, so that the inviter cannot find out who exists.
 * Skips the owner, members, and users with an open invitation.
 */
export async function inviteMembers(
  tx: Transaction,
  projectId: string,
  handles: readonly string[],
): Promise<void> {
  if (handles.length === 0) return
  const unique = [...new Map(handles.map((handle) => [handle.toLowerCase(), handle])).values()]
  await tx.query(
    `INSERT INTO project_invitations (id, project_id, handle, expires_at)
     SELECT w.id, $1, w.handle, now() + $4::interval FROM unnest($2::uuid[], $3::text[]) AS w (id, handle)
      WHERE lower(w.handle) NOT IN (${belongsTo('$1')})
     ON CONFLICT (project_id, lower(handle)) DO UPDATE
        SET created_at = now(), expires_at = excluded.expires_at, declined_at = NULL
      WHERE project_invitations.expires_at <= now()`,
    [projectId, unique.map(() => uuidv7()), unique, lifetime],
  )
  const { full } = await oneRow<{ full: boolean }>(
    tx,
    'SELECT count(*) > $2 AS full FROM project_invitations WHERE project_id = $1 AND expires_at > now()',
    [projectId, invitationsPerProject],
  )
  if (!full) return
  throw conflict(
    `A project can have at most ${invitationsPerProject} open invitations. Withdraw some of them first.`,
  )
}

/**
 * Removes members by handle, from the runs too that others share with them, and withdraws invitations. A handle that is
 * neither changes nothing.
 */
export async function removeMembers(
  tx: Transaction,
  projectId: string,
  handles: readonly string[],
): Promise<void> {
  const values = [projectId, handles.map((handle) => handle.toLowerCase())]
  await tx.query(
    `DELETE FROM memberships m USING users u
      WHERE m.project_id = $1 AND u.id = m.user_id AND lower(u.handle) = ANY ($2::text[])`,
    values,
  )
  await tx.query(
    `DELETE FROM run_users s USING runs r, users u
      WHERE r.id = s.run_id AND r.project_id = $1 AND u.id = s.user_id AND lower(u.handle) = ANY ($2::text[])
        AND NOT EXISTS (SELECT 1 FROM projects p WHERE p.id = r.project_id AND p.owner_id = u.id)`,
    values,
  )
  await tx.query(
    'DELETE FROM project_invitations WHERE project_id = $1 AND lower(handle) = ANY ($2::text[])',
    values,
  )
}

/** SQL condition for an invitation `i` that the user with a handle can answer. */
const isOpenFor = (handle: string) =>
  `lower(i.handle) = lower(${handle}) AND i.declined_at IS NULL AND i.expires_at > now()`

/** Shown at once. The oldest come first, so that a flood of new ones hides none. */
const shownInvitations = 200

/** Lists the actor's open invitations to projects. */
export async function listProjectInvitations(actor: Actor): Promise<ProjectInvitation[]> {
  const { rows } = await database().pool.query<WithDates<ProjectInvitation, 'created_at' | 'expires_at'>>(
    `SELECT i.id, p.slug AS project_id, p.name, p.kind, o.handle AS owner, i.created_at, i.expires_at
       FROM project_invitations i JOIN projects p ON p.id = i.project_id JOIN users o ON o.id = p.owner_id
      WHERE ${isOpenFor('$1')} ORDER BY i.created_at, i.id LIMIT $2`,
    [actor.handle, shownInvitations],
  )
  return rows.map(datesToText)
}

/**
 * Makes the actor a member, who agrees to the kind of the project, or declines.
 * @throws 404 if the actor has no such open invitation; 422 if they do not agree, or 409 to another kind.
 */
export function answerProjectInvitation(
  actor: Actor,
  id: string,
  { accept, agree_to }: z.output<typeof answerInvitationSchema>,
): Promise<void> {
  return transaction(async (tx) => {
    const invitation = z.uuid().safeParse(id).success ? await findOpen(tx, actor, id) : null
    if (!invitation) {
      throw notFound(
        'There is no such invitation. It was withdrawn, answered, or has expired. Ask the owner of the project for a new one.',
      )
    }
    const agreed = accept ? await requireAgreement(tx, invitation.project_id, agree_to) : null
    if (accept) {
      await tx.query('DELETE FROM project_invitations WHERE id = $1', [id])
      // The inviter chose this user, unlike somebody who came by a join link.
      const { userId } = actor
      await insertMember(tx, { projectId: invitation.project_id, userId, mayPush: true, agreed })
    } else {
      await tx.query('UPDATE project_invitations SET declined_at = now() WHERE id = $1', [id])
    }
    const action = accept ? 'project_joined' : 'project_invitation_declined'
    const detail = agreed === null ? {} : { agreed_to: agreed }
    await recordAudit(tx, { actorId: actor.userId, action, target: invitation.target, detail })
  })
}

function findOpen(
  tx: Transaction,
  actor: Actor,
  id: string,
): Promise<{ project_id: string; target: string } | null> {
  return findRow(
    tx,
    `SELECT i.project_id, o.handle || '/' || p.slug AS target
       FROM project_invitations i JOIN projects p ON p.id = i.project_id JOIN users o ON o.id = p.owner_id
      WHERE i.id = $2 AND ${isOpenFor('$1')} FOR UPDATE OF i`,
    [actor.handle, id],
  )
}

/** Deletes expired invitations, and join links a month after they expired: until then their page says why they do not work. */
export async function deleteExpiredInvitations(): Promise<void> {
  await database().pool.query("DELETE FROM join_links WHERE expires_at <= now() - interval '30 days'")
  await database().pool.query('DELETE FROM project_invitations WHERE expires_at <= now()')
}
