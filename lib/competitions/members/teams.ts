import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict, type GpuqError, notFound } from '../../contract/errors'
import { database } from '../../database/client'
import { oneRow, type Transaction, transaction } from '../../database/transaction'
import { findCompetition, type SeenCompetition } from '../access'
import { changeBoard } from '../boards/change-board'
import type { Team, updateTeamSchema } from '../contract'
import { lockMember, lockTeams } from './locks'
import { createTeam, hasEntries, readTeam, requireFreeName } from './team-rows'

/** Lifetime of an invitation, as a PostgreSQL interval. */
const lifetime = '14 days'

/** Reads the actor's team. @throws 404 if the actor has none. */
export async function getTeam(actor: Actor, slug: string): Promise<Team> {
  const competition = await findCompetition(actor, slug)
  if (competition.teamId === null) throw noTeam(competition)
  return readTeam(database().pool, competition.teamId)
}

/** Says why somebody has no team, and what to do. */
function noTeam({ slug, state, role }: SeenCompetition): GpuqError {
  if (state === null)
    return notFound(`You have no team in "${slug}". Join it first: POST /api/competitions/${slug}/join.`)
  if (state === 'requested')
    return notFound(`You have no team in "${slug}" yet. Its staff must approve your request first.`)
  return notFound(`You have no team in "${slug}", because you are its ${role}. Only participants have teams.`)
}

interface OwnTeam {
  competition: SeenCompetition
  teamId: string
}

/** Locks the actor's team until the transaction ends. @throws 404 if the actor has none. */
async function lockOwnTeam(tx: Transaction, actor: Actor, slug: string): Promise<OwnTeam> {
  const competition = await findCompetition(actor, slug, tx)
  const teamId = (await lockMember(tx, competition, actor.handle))?.teamId ?? null
  if (teamId === null) throw noTeam(competition)
  await lockTeams(tx, [teamId])
  return { competition, teamId }
}

/**
 * Renames the actor's team, invites people and takes invitations back.
 * @param read reads the request; called only after it is clear that the actor has a team
 * @throws 409 for a name that is taken, and for more people than a team may have.
 */
export async function updateTeam(
  actor: Actor,
  slug: string,
  read: () => Promise<z.output<typeof updateTeamSchema>>,
): Promise<Team> {
  await getTeam(actor, slug)
  const { name, invite, withdraw } = await read()
  return transaction(async (tx) => {
    const { competition, teamId } = await lockOwnTeam(tx, actor, slug)
    const { name: before } = await readTeam(tx, teamId)
    await withdrawInvitations(tx, teamId, withdraw)
    await invitePeople(tx, competition, teamId, invite)
    if (name !== undefined && name !== before) {
      await requireFreeName(tx, competition, name, teamId)
      await tx.query('UPDATE competition_teams SET name = $2 WHERE id = $1', [teamId, name])
      await changeBoard(tx, competition.id)
    }
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'team_changed',
      target: `${slug}/${before}`,
      detail: { team_id: teamId, ...(name !== undefined && { name }), invite, withdraw },
    })
    return readTeam(tx, teamId)
  })
}

/** Deletes invitations, and those that have expired. A handle without one changes nothing. */
async function withdrawInvitations(
  tx: Transaction,
  teamId: string,
  handles: readonly string[],
): Promise<void> {
  await tx.query(
    'DELETE FROM team_invitations WHERE team_id = $1 AND (expires_at <= now() OR lower(handle) = ANY ($2::text[]))',
    [teamId, handles.map((handle) => handle.toLowerCase())],
  )
}

/**
 * Invites users by handle. Does the same for handles that no user has, so that nobody can find out who exists. Skips members and those
 * who are invited already.
 */
async function invitePeople(
  tx: Transaction,
  { slug, teamMax }: SeenCompetition,
  teamId: string,
  handles: readonly string[],
): Promise<void> {
  if (handles.length === 0) return
  const unique = [...new Map(handles.map((handle) => [handle.toLowerCase(), handle])).values()]
  await tx.query(
    `INSERT INTO team_invitations (id, team_id, handle, expires_at)
     SELECT w.id, $1, w.handle, now() + $4::interval FROM unnest($2::uuid[], $3::text[]) AS w (id, handle)
      WHERE lower(w.handle) NOT IN (SELECT lower(u.handle) FROM competition_members m JOIN users u ON u.id = m.user_id WHERE m.team_id = $1)
     ON CONFLICT (team_id, lower(handle)) DO NOTHING`,
    [teamId, unique.map(() => uuidv7()), unique, lifetime],
  )
  const { people } = await oneRow<{ people: number }>(
    tx,
    `SELECT ((SELECT count(*) FROM competition_members WHERE team_id = $1) + (SELECT count(*) FROM team_invitations WHERE team_id = $1))::int AS people`,
    [teamId],
  )
  if (people <= teamMax) return
  throw conflict(
    teamMax === 1
      ? `In "${slug}" everybody takes part alone, so you can invite nobody.`
      : `A team of "${slug}" has at most ${teamMax} people, together with those who are invited; yours would have ${people}. Invite fewer, or withdraw an invitation.`,
  )
}

/**
 * Makes the actor a team of one. Somebody who is alone stays in the team.
 * @throws 409 after the team's first entry.
 */
export function leaveTeam(actor: Actor, slug: string): Promise<Team> {
  return transaction(async (tx) => {
    const { competition, teamId } = await lockOwnTeam(tx, actor, slug)
    const { members, name } = await readTeam(tx, teamId)
    if (members.length === 1) return readTeam(tx, teamId)
    if (await hasEntries(tx, teamId)) throw teamHasEntries(name)
    const own = await createTeam(tx, competition, { given: null, handle: actor.handle })
    await moveToTeam(tx, competition, actor, own)
    await recordAudit(tx, { actorId: actor.userId, action: 'team_left', target: `${slug}/${name}` })
    return readTeam(tx, own)
  })
}

/** The reason why nobody leaves a team with entries: somebody who could would have another quota. */
export const teamHasEntries = (name: string): GpuqError =>
  conflict(
    `The team "${name}" has sent entries, which stay with it, so you cannot leave it for another team.`,
  )

/** Makes somebody a member of another team. */
export async function moveToTeam(
  tx: Transaction,
  { id }: Pick<SeenCompetition, 'id'>,
  { userId }: Pick<Actor, 'userId'>,
  teamId: string,
): Promise<void> {
  await tx.query('UPDATE competition_members SET team_id = $3 WHERE competition_id = $1 AND user_id = $2', [
    id,
    userId,
    teamId,
  ])
}
