import type { z } from 'zod'
import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict, invalidField, notFound } from '../../contract/errors'
import { type Transaction, transaction } from '../../database/transaction'
import {
  findCompetition,
  findPhase,
  type PhaseRow,
  requireInstructor,
  requireStaff,
  type SeenCompetition,
} from '../access'
import type { Extension, Override, putExtensionSchema, putOverrideSchema } from '../contract-grades'
import { formatZonedTime, parseZonedTime } from '../contract-zoned-time'
import { lockOtherMember } from '../members/locks'

/** What is changed for a participant in a phase. */
interface Place {
  slug: string
  phase: string
  /** The user id. */
  user: string
}

interface Found {
  competition: SeenCompetition
  phase: PhaseRow
  userId: string
  /** For the audit log. */
  target: string
}

async function find(
  tx: Transaction,
  actor: Actor,
  place: Place,
  require: (competition: SeenCompetition) => void,
): Promise<Found> {
  const competition = await findCompetition(actor, place.slug, tx)
  require(competition)
  const phase = await findPhase(competition, place.phase, tx)
  const { userId, handle, teamId } = await lockOtherMember(tx, competition, place.user)
  if (teamId === null) throw conflict(`"${handle}" is no participant, so there are no grades.`)
  return { competition, phase, userId, target: `${place.slug}/${phase.key}/${handle}` }
}

/**
 * Gives a participant a later end of a phase, or changes it. It counts for entries that are there, and for those that come.
 * @throws 422 for a time that is not after the end of the phase.
 */
export async function putExtension(
  actor: Actor,
  place: Place,
  read: () => Promise<z.output<typeof putExtensionSchema>>,
): Promise<Extension> {
  requireStaff(await findCompetition(actor, place.slug))
  const given = await read()
  return transaction(async (tx) => {
    const { competition, phase, userId, target } = await find(tx, actor, place, requireStaff)
    const { timezone } = competition
    const untilMs = parseZonedTime(given.until, timezone)
    if (untilMs === null)
      throw invalidField(
        'until',
        `is no time: write one such as 2027-02-03T12:00, which is read as ${timezone}`,
      )
    if (untilMs <= phase.endsAt.getTime())
      throw invalidField(
        'until',
        `must be after the end of the phase: ${formatZonedTime(phase.endsAt, timezone)}`,
      )
    const until = new Date(untilMs)
    const { rows } = await tx.query<{ at: Date }>({
      name: 'put-extension',
      text: `INSERT INTO competition_extensions (phase_id, user_id, until, reason, given_by_id) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (phase_id, user_id) DO UPDATE
                SET until = excluded.until, reason = excluded.reason, given_by_id = excluded.given_by_id, given_at = now()
             RETURNING given_at AS at`,
      values: [phase.id, userId, until, given.reason, actor.userId],
    })
    const detail = { until: until.toISOString(), reason: given.reason }
    await recordAudit(tx, { actorId: actor.userId, action: 'extension_given', target, detail })
    return { ...detail, by: actor.handle, at: (rows[0]?.at ?? new Date()).toISOString() }
  })
}

/** @throws 404 if the participant has no extension. */
export function removeExtension(actor: Actor, place: Place): Promise<void> {
  return transaction(async (tx) => {
    const { phase, userId, target } = await find(tx, actor, place, requireStaff)
    const { rowCount } = await tx.query({
      name: 'remove-extension',
      text: 'DELETE FROM competition_extensions WHERE phase_id = $1 AND user_id = $2',
      values: [phase.id, userId],
    })
    if (rowCount === 0) throw notFound(`"${place.user}" has no extension in the phase "${phase.key}".`)
    await recordAudit(tx, { actorId: actor.userId, action: 'extension_removed', target })
  })
}

/** Sets a grade instead of the computed one, or changes it. */
export async function putOverride(
  actor: Actor,
  place: Place,
  read: () => Promise<z.output<typeof putOverrideSchema>>,
): Promise<Override> {
  requireInstructor(await findCompetition(actor, place.slug))
  const given = await read()
  return transaction(async (tx) => {
    const { phase, userId, target } = await find(tx, actor, place, requireInstructor)
    const { rows } = await tx.query<{ at: Date }>({
      name: 'put-override',
      text: `INSERT INTO grade_overrides (phase_id, user_id, value, reason, given_by_id) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (phase_id, user_id) DO UPDATE
                SET value = excluded.value, reason = excluded.reason, given_by_id = excluded.given_by_id, given_at = now()
             RETURNING given_at AS at`,
      values: [phase.id, userId, given.value, given.reason, actor.userId],
    })
    await recordAudit(tx, { actorId: actor.userId, action: 'grade_set', target, detail: { ...given } })
    return { ...given, by: actor.handle, at: (rows[0]?.at ?? new Date()).toISOString() }
  })
}

/** Lets the computed grade count again. @throws 404 if no grade was set. */
export function removeOverride(actor: Actor, place: Place): Promise<void> {
  return transaction(async (tx) => {
    const { phase, userId, target } = await find(tx, actor, place, requireInstructor)
    const { rowCount } = await tx.query({
      name: 'remove-override',
      text: 'DELETE FROM grade_overrides WHERE phase_id = $1 AND user_id = $2',
      values: [phase.id, userId],
    })
    if (rowCount === 0)
      throw notFound(`The grade of "${place.user}" in the phase "${phase.key}" is the computed one.`)
    await recordAudit(tx, { actorId: actor.userId, action: 'grade_unset', target })
  })
}
