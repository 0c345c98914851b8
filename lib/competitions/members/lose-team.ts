import { conflict, type GpuqError } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'
import { type LockedMember, lockTeams } from './locks'
import { dissolveIfEmpty, hasEntries } from './team-rows'

type Leaver = Pick<LockedMember, 'userId' | 'handle'>

/** Takes somebody out of their team who is no participant any more. @throws as {@link requireMayLoseTeam}. */
export async function loseTeam(
  tx: Transaction,
  competitionId: string,
  member: Leaver,
  teamId: string,
): Promise<void> {
  await requireMayLoseTeam(tx, member, teamId)
  await tx.query('UPDATE competition_members SET team_id = NULL WHERE competition_id = $1 AND user_id = $2', [
    competitionId,
    member.userId,
  ])
  await dissolveIfEmpty(tx, teamId)
}

/** Locks the team. @throws 409 if the member has sent entries, or is the last one of a team with entries. */
export async function requireMayLoseTeam(tx: Transaction, member: Leaver, teamId: string): Promise<void> {
  await lockTeams(tx, [teamId])
  if (await hasEntries(tx, teamId, member.userId)) throw hasSentEntries(member)
  const { rows } = await tx.query('SELECT 1 FROM competition_members WHERE team_id = $1 LIMIT 2', [teamId])
  if (rows.length < 2 && (await hasEntries(tx, teamId))) throw hasSentEntries(member)
}

const hasSentEntries = ({ handle }: Leaver): GpuqError =>
  conflict(
    `"${handle}" or the team has sent entries, which need somebody who answers for them. Disqualify entries that must not count; the member stays a participant.`,
  )
