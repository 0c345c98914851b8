import type { Transaction } from '../../database/transaction'
import { oneRow } from '../../database/transaction'
import { notifyWatchers } from '../../jobs/state/announce'
import { changeBoard } from '../boards/change-board'
import type { EntryCause } from '../contract-entries'

/** How an entry ends. The detail is for the staff. */
export type EntryEnd =
  | { state: 'scored'; scoreRunId: string | null }
  | { state: 'failed'; cause: EntryCause; detail: string }
  | { state: 'cancelled'; detail: string | null }

/** Ends an entry that the transaction has locked, and tells those who wait for it. */
export async function endEntry(tx: Transaction, id: string, end: EntryEnd): Promise<void> {
  const cause = end.state === 'failed' ? end.cause : null
  const detail = end.state === 'scored' ? null : end.detail
  const scoreRunId = end.state === 'scored' ? end.scoreRunId : null
  const { competitionId } = await oneRow<{ competitionId: string }>(tx, {
    name: 'end-entry',
    text: `UPDATE entries SET state = $2, cause = $3, detail = $4, score_run_id = $5, ended_at = now() WHERE id = $1
           RETURNING competition_id AS "competitionId"`,
    values: [id, end.state, cause, detail, scoreRunId],
  })
  await tx.query(`SELECT ${notifyWatchers('$1')}`, [id])
  await changeBoard(tx, competitionId)
}
