import { uuidv7 } from 'uuidv7'
import { conflict } from '../../contract/errors'
import { datesToText, type WithDates } from '../../database/dates'
import { findRow, oneRow, type Transaction } from '../../database/transaction'
import type { SeenCompetition } from '../access'
import type { Team } from '../contract'
import { maxTeams } from '../contract-limits'
import { lockCompetition } from './locks'

/** Reads a team for its members. */
export async function readTeam(tx: Transaction, id: string): Promise<Team> {
  const row = await oneRow<WithDates<Team, 'created_at'>>(
    tx,
    `SELECT t.id, t.name, t.created_at,
            ARRAY(SELECT u.handle FROM competition_members m JOIN users u ON u.id = m.user_id
                   WHERE m.team_id = t.id ORDER BY lower(u.handle)) AS members,
            ARRAY(SELECT i.handle FROM team_invitations i WHERE i.team_id = t.id AND i.expires_at > now()
                   ORDER BY lower(i.handle)) AS invited
       FROM competition_teams t WHERE t.id = $1`,
    [id],
  )
  return datesToText(row)
}

/** Whether a team, or one user of it, has sent entries. Rehearsals do not bind anybody to a team. */
export async function hasEntries(
  tx: Transaction,
  teamId: string,
  userId: string | null = null,
): Promise<boolean> {
  const { found } = await oneRow<{ found: boolean }>(
    tx,
    `SELECT EXISTS (SELECT 1 FROM entries WHERE team_id = $1 AND kind = 'entry' AND ($2::uuid IS NULL OR user_id = $2)) AS found`,
    [teamId, userId],
  )
  return found
}

/**
 * Deletes a team that nobody is left in. One with rehearsals stays, because they belong to it, and gives up its name and its
 * invitations.
 */
export async function dissolveIfEmpty(tx: Transaction, teamId: string): Promise<void> {
  const isEmpty = 'NOT EXISTS (SELECT 1 FROM competition_members WHERE team_id = $1)'
  await tx.query(
    `DELETE FROM competition_teams WHERE id = $1 AND ${isEmpty} AND NOT EXISTS (SELECT 1 FROM entries WHERE team_id = $1)`,
    [teamId],
  )
  await tx.query(
    `UPDATE competition_teams SET name = name || ' (dissolved ' || right(id::text, 12) || ')' WHERE id = $1 AND ${isEmpty}`,
    [teamId],
  )
  await tx.query(`DELETE FROM team_invitations WHERE team_id = $1 AND ${isEmpty}`, [teamId])
}

/**
 * Makes a team without members.
 * @param given its name; null: the user id, or with a number if another team has taken it
 * @throws 409 if another team has the given name, or if there are too many teams.
 */
export async function createTeam(
  tx: Transaction,
  competition: Pick<SeenCompetition, 'id' | 'slug'>,
  { given, handle }: { given: string | null; handle: string },
): Promise<string> {
  const { id: competitionId, slug } = competition
  await lockCompetition(tx, competitionId)
  const { full } = await oneRow<{ full: boolean }>(
    tx,
    'SELECT count(*) >= $2 AS full FROM competition_teams WHERE competition_id = $1',
    [competitionId, maxTeams],
  )
  if (full) throw conflict(`"${slug}" has ${maxTeams} teams, which is the limit. Ask to join one of them.`)
  if (given !== null) await requireFreeName(tx, competition, given)
  const id = uuidv7()
  const name = given ?? (await findFreeName(tx, competitionId, handle))
  await tx.query('INSERT INTO competition_teams (id, competition_id, name) VALUES ($1, $2, $3)', [
    id,
    competitionId,
    name,
  ])
  return id
}

/**
 * Locks the competition, so that the name stays free until the transaction ends.
 * @throws 409 with a free name if another team has it.
 */
export async function requireFreeName(
  tx: Transaction,
  { id, slug }: Pick<SeenCompetition, 'id' | 'slug'>,
  name: string,
  ownTeamId: string | null = null,
): Promise<void> {
  await lockCompetition(tx, id)
  if (await isNameFree(tx, id, name, ownTeamId)) return
  const free = await findFreeName(tx, id, name)
  throw conflict(`Another team of "${slug}" has the name "${name}". Choose another, such as "${free}".`)
}

/** Whether no other team has a name, in any letter case. */
export async function isNameFree(
  tx: Transaction,
  competitionId: string,
  name: string,
  ownTeamId: string | null = null,
): Promise<boolean> {
  const { free } = await oneRow<{ free: boolean }>(
    tx,
    `SELECT NOT EXISTS (SELECT 1 FROM competition_teams
                         WHERE competition_id = $1 AND lower(name) = lower($2) AND id IS DISTINCT FROM $3::uuid) AS free`,
    [competitionId, name, ownTeamId],
  )
  return free
}

/** The name, or the first of it with a number that no team has. */
async function findFreeName(tx: Transaction, competitionId: string, name: string): Promise<string> {
  const row = await findRow<{ free: string }>(
    tx,
    `SELECT w.free FROM (SELECT n, CASE n WHEN 1 THEN $2 ELSE left($2, 55) || '-' || n END AS free FROM generate_series(1, $3) n) w
      WHERE NOT EXISTS (SELECT 1 FROM competition_teams t WHERE t.competition_id = $1 AND lower(t.name) = lower(w.free))
      ORDER BY w.n LIMIT 1`,
    [competitionId, name, maxTeams + 1],
  )
  if (!row) throw new Error('More teams than the limit have names of one kind.')
  return row.free
}

/** Makes a team of one for a participant who has none. */
export async function giveOwnTeam(
  tx: Transaction,
  competition: Pick<SeenCompetition, 'id' | 'slug'>,
  { userId, handle }: { userId: string; handle: string },
  given: string | null,
): Promise<string> {
  const teamId = await createTeam(tx, competition, { given, handle })
  await tx.query(
    'UPDATE competition_members SET team_id = $3, wanted_team = NULL WHERE competition_id = $1 AND user_id = $2',
    [competition.id, userId, teamId],
  )
  return teamId
}
