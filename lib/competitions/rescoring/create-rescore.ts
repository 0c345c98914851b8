import { uuidv7 } from 'uuidv7'
import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict } from '../../contract/errors'
import { wakeLeader } from '../../database/notify'
import { oneRow, transaction } from '../../database/transaction'
import { findCompetition, findPhase, requireHost } from '../access'
import { maxRescores } from '../contract-limits'
import type { Rescore } from '../contract-rescores'
import { hasScoredOutputs } from '../scored-outputs'
import { findRescore, toRescore } from './find-rescore'
import { readNewest } from './pending-entries'

/**
 * Makes a set that scores the stored outputs of a phase again, with the newest scoring program and labels: those of its scored entries, and of
 * those whose scoring program failed. Their programs do not run again.
 * @throws 409 if the phase has an open set, too many sets, or nothing to score.
 */
export async function createRescore(actor: Actor, slug: string, key: string): Promise<Rescore> {
  const id = uuidv7()
  const rescore = await transaction(async (tx) => {
    const competition = await findCompetition(actor, slug, tx)
    requireHost(competition)
    const phase = await findPhase(competition, key, tx)
    // Two hosts make sets one after the other.
    await tx.query('SELECT 1 FROM competition_phases WHERE id = $1 FOR NO KEY UPDATE', [phase.id])
    const { open, sets } = await oneRow<{ open: string | null; sets: number }>(tx, {
      name: 'rescores-of-phase',
      text: `SELECT count(*)::int AS sets, (array_agg(id) FILTER (WHERE state IN ('running', 'ready')))[1] AS open
               FROM rescores WHERE phase_id = $1`,
      values: [phase.id],
    })
    if (open !== null)
      throw conflict(
        `The phase "${key}" is being scored again already, by the set ${open}. Apply or discard it first.`,
      )
    if (sets >= maxRescores)
      throw conflict(`The phase "${key}" was scored again ${maxRescores} times, which is the limit.`)
    const { scorerId, labels } = await readNewest(tx, competition.id, phase.spec)
    if (scorerId === null) throw conflict(`"${slug}" has no scoring program: upload one first.`)
    await tx.query({
      name: 'insert-rescore',
      text: `INSERT INTO rescores (id, competition_id, phase_id, scorer_id, labels, created_by_id) VALUES ($1, $2, $3, $4, $5, $6)`,
      values: [id, competition.id, phase.id, scorerId, JSON.stringify(labels), actor.userId],
    })
    const { rowCount } = await tx.query({
      name: 'insert-runs-of-rescore',
      text: `INSERT INTO score_runs (id, entry_id, scorer_id, labels, rescore_id)
             SELECT gen_random_uuid(), e.id, $2, $3, $4 FROM entries e
              WHERE e.phase_id = $1 AND e.kind <> 'rehearsal' AND ${hasScoredOutputs}`,
      values: [phase.id, scorerId, JSON.stringify(labels), id],
    })
    if (rowCount === 0)
      throw conflict(`The phase "${key}" has no entry that was scored, so there is nothing to score again.`)
    const made = toRescore(await findRescore(actor, id, tx))
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'rescore_created',
      target: `${slug}/${key}`,
      detail: { set: id, scorer: made.scorer_version, entries: made.progress.entries },
    })
    return made
  })
  wakeLeader()
  return rescore
}
