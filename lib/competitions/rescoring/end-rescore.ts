import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict } from '../../contract/errors'
import { wakeLeader } from '../../database/notify'
import { oneRow, type Transaction, transaction } from '../../database/transaction'
import { changeBoard } from '../boards/change-board'
import type { Rescore } from '../contract-rescores'
import { hasScoredOutputs } from '../scored-outputs'
import { findRescore, type SeenRescore, toRescore } from './find-rescore'
import { countMissing, isOutdated } from './pending-entries'

/**
 * Lets the new scores of a set count, all in one step. An entry whose new run failed keeps the score that it had, because the program of the
 * team is not to blame. A set that was applied stays so.
 * @throws 409 while the set has runs or awaits entries, if newer versions exist, if it was discarded, or if its board is about to be frozen.
 */
export async function applyRescore(actor: Actor, id: string): Promise<Rescore> {
  return transaction(async (tx) => {
    const set = await lockRescore(tx, actor, id)
    if (set.state === 'applied') return toRescore(set)
    const { competition, phase, scorerVersion } = set
    await requireApplicable(tx, set)
    const { rowCount } = await tx.query({
      name: 'apply-rescore',
      text: `UPDATE entries e SET score_run_id = r.id, state = 'scored', cause = NULL, detail = NULL
               FROM score_runs r WHERE r.rescore_id = $1 AND r.state = 'scored' AND r.entry_id = e.id AND ${hasScoredOutputs}`,
      values: [id],
    })
    await endSet(tx, id, 'applied')
    await changeBoard(tx, competition.id)
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'rescore_applied',
      target: `${competition.slug}/${phase.key}`,
      detail: { set: id, scorer: scorerVersion, entries: rowCount },
    })
    return toRescore(await findRescore(actor, id, tx))
  })
}

/**
 * Gives a set up. Its runs are kept, and count nowhere; those that wait end, and the leader cancels the jobs of the others. A set that was
 * discarded stays so.
 * @throws 409 if it was applied.
 */
export async function discardRescore(actor: Actor, id: string): Promise<Rescore> {
  const discarded = await transaction(async (tx) => {
    const set = await lockRescore(tx, actor, id)
    if (set.state === 'discarded') return toRescore(set)
    if (set.state === 'applied')
      throw conflict('These scores count already. Upload the earlier scoring program, and score again.')
    await endSet(tx, id, 'discarded')
    await tx.query({
      name: 'end-waiting-runs-of-rescore',
      text: `UPDATE score_runs SET state = 'failed', failure = 'The set was discarded before.', ended_at = now()
              WHERE rescore_id = $1 AND state = 'queued'`,
      values: [id],
    })
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'rescore_discarded',
      target: `${set.competition.slug}/${set.phase.key}`,
      detail: { set: id },
    })
    return toRescore(await findRescore(actor, id, tx))
  })
  wakeLeader()
  return discarded
}

/** Finds a set that nobody else ends before the transaction does. */
async function lockRescore(tx: Transaction, actor: Actor, id: string): Promise<SeenRescore> {
  // Whoever may not end it must not hold it.
  await findRescore(actor, id, tx)
  await tx.query('SELECT 1 FROM rescores WHERE id = $1 FOR UPDATE', [id])
  return findRescore(actor, id, tx)
}

async function endSet(tx: Transaction, id: string, state: 'applied' | 'discarded'): Promise<void> {
  await tx.query({
    name: 'end-rescore',
    text: 'UPDATE rescores SET state = $2::"RescoreState", ended_at = now() WHERE id = $1',
    values: [id, state],
  })
}

/** @throws 409 with what to do first. */
async function requireApplicable(tx: Transaction, set: SeenRescore): Promise<void> {
  const { id, state, competition, phase, scorerId, labels, progress } = set
  if (state === 'discarded') throw conflict('This set was discarded. Score the phase again.')
  if (await isOutdated(tx, { competitionId: competition.id, spec: phase.spec, scorerId, labels }))
    throw conflict(
      'There is a newer scoring program, or newer labels, than those of this set. Discard it, and score again.',
    )
  const unfinished = progress.waiting + progress.running
  const missing = await countMissing(tx, id)
  if (state !== 'ready' || unfinished > 0 || missing.open + missing.scored > 0)
    throw conflict(
      `Not all entries are scored again: ${unfinished + missing.scored} are left, and ${missing.open} that were sent before have not ended. Look at the preview when the set is ready, then apply it.`,
    )
  const { frozen, stored } = await oneRow<{ frozen: boolean; stored: boolean }>(tx, {
    name: 'freeze-before-rescore',
    text: `SELECT coalesce(freeze_at <= now(), false) AND revealed_at IS NULL AS frozen,
                  EXISTS (SELECT 1 FROM board_snapshots b WHERE b.phase_id = p.id AND b.freeze_at = p.freeze_at) AS stored
             FROM competition_phases p WHERE p.id = $1`,
    values: [phase.id],
  })
  if (frozen && !stored)
    throw conflict(
      'The board is frozen, but not stored yet, so new scores would change it. It is stored within two minutes after the last entry from before the freeze has ended. Apply the set then.',
    )
}
