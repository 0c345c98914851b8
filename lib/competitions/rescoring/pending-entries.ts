import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../../database/transaction'
import { oneRow } from '../../database/transaction'
import type { PhaseConfig } from '../contract-config'
import { type NewestVersions, newestDatasets, newestLabels, newestScorer } from '../newest-versions'
import { hasScoredOutputs } from '../scored-outputs'

/** What a set scores with. */
export interface RescoreVersions {
  scorerId: string | null
  /** By path. */
  labels: Record<string, string>
}

/** What entries of a phase are scored with from now on. */
export async function readNewest(
  tx: Transaction,
  competitionId: string,
  phase: PhaseConfig,
): Promise<RescoreVersions> {
  const newest = await oneRow<NewestVersions & { scorerId: string | null }>(tx, {
    name: 'newest-to-score',
    text: `SELECT c.slug, ${newestDatasets} AS datasets, ${newestScorer} AS "scorerId" FROM competitions c WHERE c.id = $1`,
    values: [competitionId],
  })
  return { scorerId: newest.scorerId, labels: newestLabels(newest, phase) }
}

/** Whether there is a newer scoring program, or newer labels, than those of a set. */
export async function isOutdated(
  tx: Transaction,
  { competitionId, spec, scorerId, labels }: RescoreVersions & { competitionId: string; spec: PhaseConfig },
): Promise<boolean> {
  return !isDeepStrictEqual(await readNewest(tx, competitionId, spec), { scorerId, labels })
}

/**
 * SQL condition: the entry `e` was sent before the versions of the set `s`, and is in the set neither now nor, before it was scored, could be. As long
 * as the set has the newest versions, entries with others are older.
 */
const isMissing = `e.phase_id = s.phase_id AND e.kind <> 'rehearsal' AND (e.scorer_id <> s.scorer_id OR e.labels <> s.labels)
  AND NOT EXISTS (SELECT 1 FROM score_runs r WHERE r.rescore_id = s.id AND r.entry_id = e.id)`

/** Counts the entries that belong to a set and are not in it: those that have not ended, and those that have been scored since. */
export function countMissing(tx: Transaction, id: string): Promise<{ open: number; scored: number }> {
  return oneRow(tx, {
    name: 'count-entries-missing-in-rescore',
    text: `SELECT count(*) FILTER (WHERE e.state IN ('held', 'running', 'scoring'))::int AS open,
                  count(*) FILTER (WHERE ${hasScoredOutputs})::int AS scored
             FROM rescores s JOIN entries e ON ${isMissing} WHERE s.id = $1`,
    values: [id],
  })
}

/** Adds the entries to a set that have been scored since it was made. Returns how many. */
export async function addMissing(tx: Transaction, id: string): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'add-entries-to-rescore',
    text: `INSERT INTO score_runs (id, entry_id, scorer_id, labels, rescore_id)
           SELECT gen_random_uuid(), e.id, s.scorer_id, s.labels, s.id
             FROM rescores s JOIN entries e ON ${isMissing} AND ${hasScoredOutputs} WHERE s.id = $1`,
    values: [id],
  })
  return rowCount ?? 0
}
