import { notFound } from '../../contract/errors'
import { findRow, type Transaction } from '../../database/transaction'
import type { SeenCompetition } from '../access'
import type { CompetitionRole } from '../contract-roles'

/* Every change locks in this order: one member, teams, the competition. */

export interface LockedMember {
  userId: string
  handle: string
  role: CompetitionRole
  state: 'requested' | 'joined'
  teamId: string | null
  /** The name that the team gets once the request is approved. */
  wantedTeam: string | null
}

/** Locks a member until the transaction ends. Null: the user is no member. */
export function lockMember(
  tx: Transaction,
  { id }: Pick<SeenCompetition, 'id'>,
  handle: string,
): Promise<LockedMember | null> {
  return findRow<LockedMember>(
    tx,
    `SELECT m.user_id AS "userId", u.handle, m.role, m.state, m.team_id AS "teamId", m.wanted_team AS "wantedTeam"
       FROM competition_members m JOIN users u ON u.id = m.user_id
      WHERE m.competition_id = $1 AND lower(u.handle) = lower($2) FOR NO KEY UPDATE OF m`,
    [id, handle],
  )
}

/** @throws 404 if the user is no member. */
export async function lockOtherMember(
  tx: Transaction,
  competition: Pick<SeenCompetition, 'id' | 'slug'>,
  handle: string,
): Promise<LockedMember> {
  const member = await lockMember(tx, competition, handle)
  if (member) return member
  throw notFound(
    `"${handle}" is no member of "${competition.slug}". GET /api/competitions/${competition.slug}/members lists the members.`,
  )
}

/**
 * Locks teams until the transaction ends, always in the same order. A submission locks its team too, so a team that has no entries
 * gets none meanwhile.
 * @returns the ids of those that exist
 */
export async function lockTeams(tx: Transaction, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>(
    'SELECT id FROM competition_teams WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
    [ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Waits for other changes of the names of teams, the hosts or the roster of a competition. */
export async function lockCompetition(tx: Transaction, id: string): Promise<void> {
  await tx.query('SELECT 1 FROM competitions WHERE id = $1 FOR NO KEY UPDATE', [id])
}
