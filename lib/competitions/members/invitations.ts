import { z } from 'zod'
import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict, notFound } from '../../contract/errors'
import { database } from '../../database/client'
import { datesToText, type WithDates } from '../../database/dates'
import { findRow, type Transaction, transaction } from '../../database/transaction'
import { findCompetition, type SeenCompetition } from '../access'
import type { Team, TeamInvitation } from '../contract'
import { type LockedMember, lockMember, lockTeams } from './locks'
import { dissolveIfEmpty, hasEntries, readTeam } from './team-rows'
import { moveToTeam, teamHasEntries } from './teams'

/** SQL condition for an invitation `i` to a team `t` of a competition that the user with a handle can answer. */
const isOpenFor = (competition: string, handle: string) =>
  `t.competition_id = ${competition} AND lower(i.handle) = lower(${handle}) AND i.declined_at IS NULL AND i.expires_at > now()`

/** Shown at once. The oldest come first, so that a flood of new ones hides none. */
const shownInvitations = 200

/** Lists the actor's open invitations to teams. */
export async function listInvitations(actor: Actor, slug: string): Promise<TeamInvitation[]> {
  const { id } = await findCompetition(actor, slug)
  const { rows } = await database().pool.query<WithDates<TeamInvitation, 'expires_at'>>(
    `SELECT i.id, t.name AS team, c.slug AS competition_id, i.expires_at,
            ARRAY(SELECT u.handle FROM competition_members m JOIN users u ON u.id = m.user_id
                   WHERE m.team_id = t.id ORDER BY lower(u.handle)) AS members
       FROM team_invitations i JOIN competition_teams t ON t.id = i.team_id JOIN competitions c ON c.id = t.competition_id
      WHERE ${isOpenFor('$1', '$2')} ORDER BY i.created_at, i.id LIMIT $3`,
    [id, actor.handle, shownInvitations],
  )
  return rows.map(datesToText)
}

interface OpenInvitation {
  id: string
  teamId: string
  team: string
}

/** @throws 404 if the actor has no such open invitation. */
async function findOpen(
  tx: Transaction,
  actor: Actor,
  { id: competitionId, slug }: SeenCompetition,
  id: string,
): Promise<OpenInvitation> {
  const found = z.uuid().safeParse(id).success
    ? await findRow<OpenInvitation>(
        tx,
        `SELECT i.id, t.id AS "teamId", t.name AS team FROM team_invitations i JOIN competition_teams t ON t.id = i.team_id
          WHERE i.id = $3 AND ${isOpenFor('$1', '$2')}`,
        [competitionId, actor.handle, id],
      )
    : null
  if (found) return found
  throw notFound(
    `You have no such invitation to a team of "${slug}". It was withdrawn, answered, or has expired. Ask the team for a new one.`,
  )
}

/**
 * Makes the actor a member of the team that has invited them. The team of one that they leave ends.
 * @throws 404 for another invitation; 409 if the team is full, if the actor's team has entries, or if the actor is no participant.
 */
export function acceptInvitation(actor: Actor, slug: string, id: string): Promise<Team> {
  return transaction(async (tx) => {
    const competition = await findCompetition(actor, slug, tx)
    const member = await lockMember(tx, competition, actor.handle)
    const { teamId } = await findOpen(tx, actor, competition, id)
    const own = requireParticipant(competition, member)
    await lockTeams(tx, [own, teamId])
    // The team may have withdrawn the invitation or ended before it was locked.
    const invitation = await findOpen(tx, actor, competition, id)
    await tx.query('DELETE FROM team_invitations WHERE id = $1', [id])
    if (own === teamId) return readTeam(tx, teamId)
    const before = await readTeam(tx, own)
    if (await hasEntries(tx, own)) throw teamHasEntries(before.name)
    const { rows } = await tx.query('SELECT 1 FROM competition_members WHERE team_id = $1', [teamId])
    if (rows.length >= competition.teamMax)
      throw conflict(
        `The team "${invitation.team}" has ${rows.length} members, and a team of "${slug}" has at most ${competition.teamMax}. Ask for an invitation to another team.`,
      )
    await moveToTeam(tx, competition, actor, teamId)
    await dissolveIfEmpty(tx, own)
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'team_joined',
      target: `${slug}/${invitation.team}`,
      detail: { team_id: teamId, left: before.name },
    })
    return readTeam(tx, teamId)
  })
}

/** Returns the team of a participant. @throws 409 for others. */
function requireParticipant({ slug }: SeenCompetition, member: LockedMember | null): string {
  if (!member)
    throw conflict(`Join "${slug}" first: POST /api/competitions/${slug}/join. Then accept the invitation.`)
  if (member.state === 'requested')
    throw conflict(
      `The staff of "${slug}" must approve your request to join first. Then accept the invitation.`,
    )
  if (member.teamId === null)
    throw conflict(`You are ${member.role} of "${slug}". Only participants can be in a team.`)
  return member.teamId
}

/** Declines an invitation, which its team still sees as pending. @throws 404 for another invitation. */
export function declineInvitation(actor: Actor, slug: string, id: string): Promise<void> {
  return transaction(async (tx) => {
    const { team } = await findOpen(tx, actor, await findCompetition(actor, slug, tx), id)
    await tx.query('UPDATE team_invitations SET declined_at = now() WHERE id = $1', [id])
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'team_invitation_declined',
      target: `${slug}/${team}`,
    })
  })
}
