import { uuidv7 } from 'uuidv7'
import { conflict, invalidField } from '../../contract/errors'
import { oneRow, type Transaction } from '../../database/transaction'
import { type CompetitionConfig, phaseTimes } from '../contract-config'
import { maxVersions } from '../contract-limits'

/**
 * Makes the phases of a competition what its file says. One that the file has no more is deleted, or kept without a place if it has
 * entries. Entries keep what their phase was when they were sent.
 * @returns whether anything changed
 * @throws 422 for a new phase that has ended, and for one that would be open again after its reveal.
 */
export async function writePhases(
  tx: Transaction,
  competitionId: string,
  { phases, timezone }: Pick<CompetitionConfig, 'phases' | 'timezone'>,
): Promise<boolean> {
  const keys = phases.map(({ key }) => key)
  // Waits for entries that are being sent to a phase, so that the check below sees them.
  const { rows } = await tx.query<{ key: string; isRevealed: boolean }>(
    'SELECT key, revealed_at IS NOT NULL AS "isRevealed" FROM competition_phases WHERE competition_id = $1 ORDER BY id FOR UPDATE',
    [competitionId],
  )
  const removed = await tx.query(
    `DELETE FROM competition_phases p WHERE p.competition_id = $1 AND p.key <> ALL ($2)
        AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.phase_id = p.id)`,
    [competitionId, keys],
  )
  const ended = await tx.query(
    'UPDATE competition_phases SET position = NULL WHERE competition_id = $1 AND key <> ALL ($2) AND position IS NOT NULL',
    [competitionId, keys],
  )
  let changed = (removed.rowCount ?? 0) + (ended.rowCount ?? 0) > 0
  for (const [position, phase] of phases.entries()) {
    const { startMs, endMs, freezeMs } = phaseTimes(phase, timezone)
    const before = rows.find(({ key }) => key === phase.key)
    const hasEnded = endMs <= Date.now()
    if (!before && hasEnded)
      throw invalidField(`phases.${position}.end`, 'is in the past: a new phase must end later')
    // Everybody sees the private scores of its entries, so more of them would show the labels piece by piece.
    if (before?.isRevealed && !hasEnded)
      throw invalidField(
        `phases.${position}.end`,
        'must stay in the past, because the board of this phase is revealed: add a phase with another key',
      )
    const freezeAt = freezeMs === null ? null : new Date(freezeMs)
    const { rowCount } = await tx.query(
      `INSERT INTO competition_phases AS p (id, competition_id, key, position, starts_at, ends_at, freeze_at, spec)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (competition_id, key) DO UPDATE
          SET position = excluded.position, starts_at = excluded.starts_at, ends_at = excluded.ends_at,
              freeze_at = excluded.freeze_at, spec = excluded.spec
        WHERE (p.position, p.starts_at, p.ends_at, p.freeze_at, p.spec)
              IS DISTINCT FROM (excluded.position, excluded.starts_at, excluded.ends_at, excluded.freeze_at, excluded.spec)`,
      [uuidv7(), competitionId, phase.key, position, new Date(startMs), new Date(endMs), freezeAt, phase],
    )
    changed ||= rowCount === 1
  }
  await requireFewPhases(tx, competitionId)
  return changed
}

async function requireFewPhases(tx: Transaction, competitionId: string): Promise<void> {
  const { full } = await oneRow<{ full: boolean }>(
    tx,
    'SELECT count(*) > $2 AS full FROM competition_phases WHERE competition_id = $1',
    [competitionId, maxVersions],
  )
  if (full)
    throw conflict(
      `The competition has had ${maxVersions} phases with entries, which is the limit. Use the key of an earlier one.`,
    )
}
