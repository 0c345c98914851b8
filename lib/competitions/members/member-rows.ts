import { datesToText, type WithDates } from '../../database/dates'
import { oneRow, type Transaction } from '../../database/transaction'
import type { SeenCompetition } from '../access'
import type { Member } from '../contract'
import { dissolveIfEmpty } from './team-rows'

/** SQL for the columns of {@link Member}, of {@link memberTables}. */
export const memberColumns =
  'u.handle AS user_id, u.name, m.role, m.state, m.section, m.grace_days, t.name AS team, m.created_at AS joined_at'

export const memberTables =
  'competition_members m JOIN users u ON u.id = m.user_id LEFT JOIN competition_teams t ON t.id = m.team_id'

export type MemberRow = WithDates<Member, 'joined_at'>

/** Reads somebody who is a member. */
export async function readMember(tx: Transaction, competitionId: string, userId: string): Promise<Member> {
  const row = await oneRow<MemberRow>(
    tx,
    `SELECT ${memberColumns} FROM ${memberTables} WHERE m.competition_id = $1 AND m.user_id = $2`,
    [competitionId, userId],
  )
  return datesToText(row)
}

/** Deletes a member, and the team if nobody is left in it. */
export async function deleteMember(
  tx: Transaction,
  { id }: Pick<SeenCompetition, 'id'>,
  { userId, teamId }: { userId: string; teamId: string | null },
): Promise<void> {
  await tx.query('DELETE FROM competition_members WHERE competition_id = $1 AND user_id = $2', [id, userId])
  if (teamId !== null) await dissolveIfEmpty(tx, teamId)
}
