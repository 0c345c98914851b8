import { findRow, type Transaction } from '../../database/transaction'
import type { ReadScores } from './files/score-file'
import type { JobEnd } from './judge-end'

/** Jobs of a scoring program over an entry that end by faults of gpuq, each with its own attempts, before the run fails. */
export const maxSystemFaults = 5

/** What a run of a scoring program came to. */
export type RunEnd = ReadScores | { job: JobEnd }

/** Ends the row of a run. Returns false if another leader has. */
export async function endRunRow(tx: Transaction, id: string, end: RunEnd): Promise<boolean> {
  const scores = 'scores' in end ? JSON.stringify(end.scores) : null
  const failure = 'scores' in end ? null : 'problem' in end ? end.problem : end.job.detail
  const { rowCount } = await tx.query({
    name: 'end-score-run',
    text: `UPDATE score_runs SET state = CASE WHEN $2::jsonb IS NULL THEN 'failed' ELSE 'scored' END::"ScoreRunState",
                  scores = $2, failure = $3, ended_at = now()
            WHERE id = $1 AND state IN ('queued', 'running')`,
    values: [id, scores, failure],
  })
  return rowCount === 1
}

/** Ends a run of a set, or lets it wait for another job after a fault of gpuq. The entry changes only when the set is applied. */
export async function endRunOfSet(
  tx: Transaction,
  { id, rescoreId }: { id: string; rescoreId: string },
  end: RunEnd,
): Promise<boolean> {
  const isFault = 'job' in end && end.job.state === 'failed' && end.job.cause === 'system'
  return (isFault && (await waitAgain(tx, id, rescoreId))) || endRunRow(tx, id, end)
}

/** Returns false if the run fails: after too many faults, or in a set that was discarded. */
async function waitAgain(tx: Transaction, id: string, rescoreId: string): Promise<boolean> {
  // Whoever discards the set waits for this lock, and then finds the run among those that wait.
  const open = await findRow(tx, {
    name: 'share-open-rescore',
    text: `SELECT 1 FROM rescores WHERE id = $1 AND state = 'running' FOR SHARE`,
    values: [rescoreId],
  })
  if (!open) return false
  const { rowCount } = await tx.query({
    name: 'queue-score-run-again',
    text: `UPDATE score_runs SET state = 'queued', job_id = NULL, faults = faults + 1
            WHERE id = $1 AND state = 'running' AND faults + 1 < $2`,
    values: [id, maxSystemFaults],
  })
  return rowCount === 1
}
