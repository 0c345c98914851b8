import type { z } from 'zod'
import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict, forbidden } from '../../contract/errors'
import { database } from '../../database/client'
import { datesToText } from '../../database/dates'
import { cutPage, decodeCursor, type Page } from '../../database/pagination'
import { type Transaction, transaction } from '../../database/transaction'
import {
  findCompetition,
  requireHost,
  requireInstructor,
  requireStaff,
  type SeenCompetition,
} from '../access'
import type { Member, updateMemberSchema } from '../contract'
import { staffRoles } from '../contract-roles'
import { requireAnotherHost, setHosts } from './host-rights'
import { type LockedMember, lockCompetition, lockOtherMember } from './locks'
import { loseTeam, requireMayLoseTeam } from './lose-team'
import { deleteMember, type MemberRow, memberColumns, memberTables, readMember } from './member-rows'
import { giveOwnTeam, isNameFree } from './team-rows'

/** Lists the members for the staff, by their user ids. */
export async function listMembers(
  actor: Actor,
  slug: string,
  {
    limit,
    cursor,
    state,
  }: { limit: number; cursor?: string | undefined; state?: Member['state'] | undefined },
): Promise<Page<Member>> {
  const competition = await findCompetition(actor, slug)
  requireStaff(competition)
  const [after = null] = cursor === undefined ? [] : decodeCursor(cursor, 1)
  const { rows } = await database().pool.query<MemberRow>(
    `SELECT ${memberColumns} FROM ${memberTables}
      WHERE m.competition_id = $1 AND ($2::"CompetitionMemberState" IS NULL OR m.state = $2) AND ($3::text IS NULL OR lower(u.handle) > $3)
      ORDER BY lower(u.handle) LIMIT $4`,
    [competition.id, state, after, limit + 1],
  )
  return cutPage(rows, limit, ({ user_id }) => [user_id.toLowerCase()], datesToText)
}

type Changes = z.output<typeof updateMemberSchema>

/**
 * Approves a member, or changes the role, section or grace days.
 * @throws 403 for a role unless the actor is a host; 409 for the last host, and for a participant with entries who would join the staff.
 */
export async function updateMember(
  actor: Actor,
  slug: string,
  handle: string,
  read: () => Promise<Changes>,
): Promise<Member> {
  requireInstructor(await findCompetition(actor, slug))
  const changes = await read()
  return transaction(async (tx) => {
    const competition = await findCompetition(actor, slug, tx)
    requireInstructor(competition)
    const member = await lockOtherMember(tx, competition, handle)
    const after = { role: changes.role ?? member.role, state: changes.state ?? member.state }
    if (after.role !== member.role) requireHost(competition)
    if (after.role !== member.role && after.state === 'requested')
      throw conflict(
        `"${member.handle}" has only asked to join. Send state: "joined" together with the role.`,
      )
    if (member.role === 'host' && after.role !== 'host') await requireAnotherHost(tx, competition, member)
    await followRole(tx, competition, member, after)
    await tx.query(
      `UPDATE competition_members SET role = $3::"CompetitionRole", state = $4::"CompetitionMemberState",
              section = CASE WHEN $5 THEN $6 ELSE section END, grace_days = coalesce($7, grace_days)
        WHERE competition_id = $1 AND user_id = $2`,
      [
        competition.id,
        member.userId,
        after.role,
        after.state,
        changes.section !== undefined,
        changes.section ?? null,
        changes.grace_days ?? null,
      ],
    )
    if (after.role !== member.role && (after.role === 'host' || member.role === 'host'))
      await setHosts(tx, competition)
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'competition_member_changed',
      target: `${slug}/${member.handle}`,
      detail: { ...changes },
    })
    return readMember(tx, competition.id, member.userId)
  })
}

/** Gives a participant a team, and takes it from somebody who is none any more: only participants have teams. */
async function followRole(
  tx: Transaction,
  competition: SeenCompetition,
  member: LockedMember,
  after: Pick<LockedMember, 'role' | 'state'>,
): Promise<void> {
  const needsTeam = after.role === 'participant' && after.state === 'joined'
  if (needsTeam && member.teamId === null) {
    // Another team may have taken the name since the request, which is no reason to refuse the approval.
    await lockCompetition(tx, competition.id)
    const wanted = member.wantedTeam
    const isFree = wanted !== null && (await isNameFree(tx, competition.id, wanted))
    await giveOwnTeam(tx, competition, member, isFree ? wanted : null)
  } else if (!needsTeam && member.teamId !== null) {
    await loseTeam(tx, competition.id, member, member.teamId)
  }
}

/**
 * Refuses a request, or removes a member without entries.
 * @throws 403 for the staff unless the actor is a host, 409 for the last host and for a member with entries.
 */
export function removeMember(actor: Actor, slug: string, handle: string): Promise<void> {
  return transaction(async (tx) => {
    const competition = await findCompetition(actor, slug, tx)
    requireInstructor(competition)
    const member = await lockOtherMember(tx, competition, handle)
    if (staffRoles.includes(member.role) && !competition.isHost)
      throw forbidden(`Only hosts of "${slug}" may remove members of the staff. Ask one of them.`)
    if (member.teamId !== null) await requireMayLoseTeam(tx, member, member.teamId)
    if (member.role === 'host') await requireAnotherHost(tx, competition, member)
    await deleteMember(tx, competition, member)
    if (member.role === 'host') await setHosts(tx, competition)
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'competition_member_removed',
      target: `${slug}/${member.handle}`,
      detail: { role: member.role, state: member.state },
    })
  })
}
