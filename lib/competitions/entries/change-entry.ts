import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict, forbidden } from '../../contract/errors'
import { wakeLeader } from '../../database/notify'
import { oneRow, type Transaction, transaction } from '../../database/transaction'
import { cancelLive } from '../../jobs/lifecycle/cancel'
import { changeBoard } from '../boards/change-board'
import type { PhaseConfig } from '../contract-config'
import type { Entry } from '../contract-entries'
import { formatZonedTime } from '../contract-zoned-time'
import { endEntry } from '../scoring/end-entry'
import { findEntry, readEntry, type SeenEntry } from './read-entries'

/**
 * Cancels an entry whose program has not ended. One that runs is cancelled when its job has ended, which the leader sees.
 * @throws 403 for a viewer who is neither of its team nor a host; 409 if its program has ended.
 */
export async function withdrawEntry(actor: Actor, id: string): Promise<Entry> {
  await transaction(async (tx) => {
    const { isOwn, viewer } = await findEntry(actor, id, tx)
    if (!isOwn && !viewer.isHost)
      throw forbidden('Only the team of this entry and the hosts may withdraw it.')
    await lockEntry(tx, id)
    const { state, jobId, slug, team, sender } = await findEntry(actor, id, tx)
    if (!isOwn)
      await recordAudit(tx, {
        actorId: actor.userId,
        action: 'entry_cancelled',
        target: id,
        detail: { competition: slug, team: team ?? sender },
      })
    if (state === 'held') return endEntry(tx, id, { state: 'cancelled', detail: null })
    if (state !== 'running') throw conflict(hasEnded)
    const by = isOwn ? 'cancelled_by_user' : 'cancelled_by_manager'
    const ended = jobId === null ? null : await cancelLive(tx, jobId, by)
    if (ended !== null && ended !== 'cancelled') throw conflict(hasEnded)
  })
  return readEntry(actor, id)
}

const hasEnded = 'The program of this entry has ended, so there is nothing to withdraw.'

/** Locks an entry against changes of its state. */
async function lockEntry(tx: Transaction, id: string): Promise<void> {
  await tx.query('SELECT 1 FROM entries WHERE id = $1 FOR UPDATE', [id])
}

/**
 * Chooses an entry for the final board, or takes the choice back. The lock on the team's row keeps two choices from taking the same place.
 * @throws 403 for other teams, 409 if the phase has no choice or has ended, or if all places are taken.
 */
export async function chooseEntry(actor: Actor, id: string, chosen: boolean): Promise<Entry> {
  await transaction(async (tx) => {
    const { teamId, isOwn } = await findEntry(actor, id, tx)
    if (!isOwn || teamId === null) throw forbidden('Only the team of this entry may choose it.')
    await tx.query('SELECT 1 FROM competition_teams WHERE id = $1 FOR NO KEY UPDATE', [teamId])
    const entry = await findEntry(actor, id, tx)
    const phase = await oneRow<PhaseOfChoice>(tx, {
      name: 'phase-of-choice',
      text: `SELECT p.spec, p.ends_at AS "endsAt", p.ends_at <= clock_timestamp() AS ended, c.timezone,
                    (SELECT count(*)::int FROM entries o WHERE o.phase_id = p.id AND o.team_id = $2 AND o.id <> $1 AND o.chosen
                        AND o.state NOT IN ('failed', 'cancelled') AND o.disqualified_at IS NULL) AS others
               FROM entries e JOIN competition_phases p ON p.id = e.phase_id JOIN competitions c ON c.id = e.competition_id
              WHERE e.id = $1`,
      values: [id, teamId],
    })
    const why = refuseChoice(entry, phase, chosen)
    if (why !== null) throw conflict(why)
    await tx.query('UPDATE entries SET chosen = $2 WHERE id = $1', [id, chosen])
    await changeBoard(tx, entry.competitionId)
  })
  return readEntry(actor, id)
}

interface PhaseOfChoice {
  spec: PhaseConfig
  endsAt: Date
  ended: boolean
  timezone: string
  /** How many other entries the team has chosen. */
  others: number
}

/** Says why a team may not choose an entry; null: it may. Pure. */
export function refuseChoice(
  { kind, state, disqualifiedWhy }: Pick<SeenEntry, 'kind' | 'state' | 'disqualifiedWhy'>,
  { spec: { select }, endsAt, ended, timezone, others }: PhaseOfChoice,
  chosen: boolean,
): string | null {
  if (select.rule !== 'chosen')
    return select.rule === 'best'
      ? `Nobody chooses entries in this phase: the best one of a team by ${select.by} counts.`
      : 'Nobody chooses entries in this phase: the last one of a team counts.'
  if (ended)
    return `The phase ended on ${formatZonedTime(endsAt, timezone)}, and choices cannot be changed after that.`
  if (!chosen) return null
  if (kind !== 'entry') return 'A rehearsal has no score, so it cannot be chosen.'
  if (state === 'failed' || state === 'cancelled' || disqualifiedWhy !== null)
    return 'This entry has no score that counts. Choose another one.'
  return others >= select.n
    ? `Your team has chosen ${others} entries, and ${select.n} count. Take a choice back first.`
    : null
}

/**
 * Disqualifies an entry, or takes that back. The leader then takes it out of the queue (`stopDisqualified`). What it sent and printed is kept.
 * @throws 403 unless the caller is a host or an instructor.
 */
export async function disqualifyEntry(actor: Actor, id: string, reason: string | null): Promise<Entry> {
  await transaction(async (tx) => {
    const { viewer, role } = await findEntry(actor, id, tx)
    if (!viewer.isHost && role !== 'instructor')
      throw forbidden('Only hosts and instructors of the competition may disqualify entries.')
    await lockEntry(tx, id)
    const entry = await findEntry(actor, id, tx)
    if (reason === null && entry.disqualifiedWhy === null) return
    await tx.query({
      name: 'disqualify-entry',
      text: `UPDATE entries SET disqualified_why = $2::text, disqualified_at = CASE WHEN $2::text IS NOT NULL THEN now() END,
                    disqualified_by_id = CASE WHEN $2::text IS NOT NULL THEN $3::uuid END
              WHERE id = $1`,
      values: [id, reason, actor.userId],
    })
    await recordAudit(tx, {
      actorId: actor.userId,
      action: reason === null ? 'entry_reinstated' : 'entry_disqualified',
      target: id,
      detail: {
        competition: entry.slug,
        team: entry.team ?? entry.sender,
        ...(reason !== null && { reason }),
      },
    })
    await changeBoard(tx, entry.competitionId)
  })
  wakeLeader()
  return readEntry(actor, id)
}
