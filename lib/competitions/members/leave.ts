import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict } from '../../contract/errors'
import { transaction } from '../../database/transaction'
import { findCompetition } from '../access'
import { requireAnotherHost, setHosts } from './host-rights'
import { lockMember, lockTeams } from './locks'
import { deleteMember } from './member-rows'
import { hasEntries } from './team-rows'

/**
 * Ends the membership of the actor. Somebody who is no member has left already.
 * @throws 409 for the last host, and after the team's first entry.
 */
export function leaveCompetition(actor: Actor, slug: string): Promise<void> {
  return transaction(async (tx) => {
    const competition = await findCompetition(actor, slug, tx)
    const member = await lockMember(tx, competition, actor.handle)
    if (!member) return
    const { teamId, role, state } = member
    if (teamId !== null) {
      await lockTeams(tx, [teamId])
      if (await hasEntries(tx, teamId))
        throw conflict(
          'Your team has sent entries, which stay with it, so you cannot leave. You need not send more. The staff can remove a member who has sent none.',
        )
    }
    const isHost = role === 'host' && state === 'joined'
    if (isHost) await requireAnotherHost(tx, competition, member)
    await deleteMember(tx, competition, member)
    if (isHost) await setHosts(tx, competition)
    await recordAudit(tx, { actorId: actor.userId, action: 'competition_left', target: slug })
  })
}
