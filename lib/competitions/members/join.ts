import type { z } from 'zod'
import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict, forbidden, type GpuqError, invalidField } from '../../contract/errors'
import { oneRow, type Transaction, transaction } from '../../database/transaction'
import { findCompetition, isOnRoster, type SeenCompetition } from '../access'
import type { joinCompetitionSchema, Member } from '../contract'
import { readMember } from './member-rows'
import { giveOwnTeam, requireFreeName } from './team-rows'

type Given = z.output<typeof joinCompetitionSchema>

/**
 * Makes the actor a participant in a team of one, or asks the staff to. Whoever has joined, or is of the staff, stays what they are.
 * @param read reads the request; called only after it is clear that the actor sees the competition
 * @throws 403 for somebody who is not on the roster, 409 after the last phase and for a name that is taken, 422 without the terms.
 */
export async function joinCompetition(
  actor: Actor,
  slug: string,
  read: () => Promise<Given>,
): Promise<Member> {
  await findCompetition(actor, slug)
  const given = await read()
  return transaction(async (tx) => {
    const competition = await findCompetition(actor, slug, tx)
    const { id, join, state } = competition
    const mayEnter = await readRights(tx, competition, actor)
    const isWaiting = state === 'requested' && join === 'approve'
    if (state !== 'joined' && !isWaiting) await enter(tx, { actor, competition, given, mayEnter })
    else if (given.accept_terms) await acceptTerms(tx, competition, actor)
    return readMember(tx, id, actor.userId)
  })
}

interface Rights {
  /** A phase is open, or will be. */
  isOpen: boolean
  onRoster: boolean
  /** By the roster. */
  section: string | null
  hasEmail: boolean
  /** Hosts and instructors, whom others can ask. */
  staff: string[]
}

function readRights(tx: Transaction, { id }: SeenCompetition, { userId }: Actor): Promise<Rights> {
  return oneRow<Rights>(
    tx,
    `SELECT EXISTS (SELECT 1 FROM competition_phases p WHERE p.competition_id = c.id AND p.position IS NOT NULL AND p.ends_at > now()) AS "isOpen",
            ${isOnRoster('$2::uuid')} AS "onRoster",
            (SELECT r.section FROM competition_roster r JOIN users u ON lower(u.email) = r.email
              WHERE r.competition_id = c.id AND u.id = $2) AS section,
            EXISTS (SELECT 1 FROM users WHERE id = $2 AND email IS NOT NULL) AS "hasEmail",
            ARRAY(SELECT u.handle FROM competition_members m JOIN users u ON u.id = m.user_id
                   WHERE m.competition_id = c.id AND m.role IN ('host', 'instructor') AND m.state = 'joined' AND u.disabled_at IS NULL
                   ORDER BY m.role, lower(u.handle) LIMIT 3) AS staff
       FROM competitions c WHERE c.id = $1`,
    [id, userId],
  )
}

interface Entering {
  actor: Actor
  competition: SeenCompetition
  given: Given
  mayEnter: Rights
}

async function enter(tx: Transaction, { actor, competition, given, mayEnter }: Entering): Promise<void> {
  const { id, slug, join, terms } = competition
  if (!mayEnter.isOpen)
    throw conflict(
      `All phases of "${slug}" have ended, so nobody can join it any more. Its page stays visible.`,
    )
  if (join === 'roster' && !mayEnter.onRoster) throw notOnRoster(slug, mayEnter)
  if (terms !== null && !given.accept_terms)
    throw invalidField(
      'accept_terms',
      `"${slug}" has terms. Read them, and send accept_terms: true to accept them`,
    )
  const state = join === 'approve' ? 'requested' : 'joined'
  const team = given.team ?? null
  if (state === 'requested' && team !== null) await requireFreeName(tx, competition, team)
  const { rowCount } = await tx.query(
    `INSERT INTO competition_members (competition_id, user_id, state, section, terms_accepted_at, wanted_team)
     VALUES ($1, $2, $3::"CompetitionMemberState", $4, CASE WHEN $5 THEN now() END, $6)
     ON CONFLICT (competition_id, user_id) DO UPDATE SET state = excluded.state, section = coalesce(excluded.section, competition_members.section),
        terms_accepted_at = excluded.terms_accepted_at, wanted_team = coalesce(excluded.wanted_team, competition_members.wanted_team)
      WHERE competition_members.state = 'requested' AND excluded.state = 'joined'`,
    [id, actor.userId, state, join === 'roster' ? mayEnter.section : null, terms !== null, team],
  )
  // A request of the same user that was faster has done all of it.
  if (rowCount !== 1) return
  if (state === 'joined') await giveOwnTeam(tx, competition, actor, team)
  await recordAudit(tx, {
    actorId: actor.userId,
    action: 'competition_joined',
    target: slug,
    detail: { state, team, ...(terms !== null && { accepted_terms: true }) },
  })
}

/** Records that somebody accepts the terms who joined before there were any, or came from the staff. */
async function acceptTerms(
  tx: Transaction,
  { id, slug, terms }: SeenCompetition,
  { userId }: Actor,
): Promise<void> {
  if (terms === null) return
  const { rowCount } = await tx.query(
    `UPDATE competition_members SET terms_accepted_at = now()
      WHERE competition_id = $1 AND user_id = $2 AND terms_accepted_at IS NULL`,
    [id, userId],
  )
  if (rowCount !== 1) return
  const detail = { accepted_terms: true }
  await recordAudit(tx, { actorId: userId, action: 'competition_joined', target: slug, detail })
}

function notOnRoster(slug: string, { hasEmail, staff }: Rights): GpuqError {
  const whom = staff.length > 0 ? `Ask ${staff.join(' or ')}` : 'Ask an admin'
  return forbidden(
    hasEmail
      ? `Only people on the roster of "${slug}" may join, by the e-mail address of their account. ${whom} to add yours.`
      : `Only people on the roster of "${slug}" may join, by the e-mail address of their account, and yours has none. Ask an admin to add it to your account.`,
  )
}
