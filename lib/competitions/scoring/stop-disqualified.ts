import { database } from '../../database/client'
import { transaction } from '../../database/transaction'
import { cancelJob } from './cancel-job'
import { endEntry } from './end-entry'

/**
 * Takes disqualified entries out of the queue: those that wait end, and the jobs of the others are cancelled. Their programs, outputs and
 * logs are kept. The leader calls it after each change of the queue.
 */
export async function stopDisqualified(): Promise<boolean> {
  const { rows } = await database().pool.query<{ id: string; jobId: string | null }>({
    name: 'disqualified-entries',
    text: `SELECT e.id, j.id AS "jobId" FROM entries e
             LEFT JOIN score_runs r ON r.entry_id = e.id AND r.state IN ('queued', 'running')
             LEFT JOIN jobs j ON j.id = CASE WHEN e.state = 'scoring' THEN r.job_id ELSE e.job_id END
            WHERE e.state IN ('held', 'running', 'scoring') AND e.disqualified_at IS NOT NULL
              AND (e.state = 'held' OR (j.status IN ('pending', 'scheduled', 'running') AND j.cancel_requested_at IS NULL))
            ORDER BY e.id`,
  })
  for (const { id, jobId } of rows) {
    if (jobId === null) await endHeld(id)
    else await cancelJob(jobId)
  }
  return false
}

async function endHeld(id: string): Promise<void> {
  await transaction(async (tx) => {
    const { rowCount } = await tx.query(
      `SELECT 1 FROM entries WHERE id = $1 AND state = 'held' AND disqualified_at IS NOT NULL FOR UPDATE`,
      [id],
    )
    if (rowCount === 1)
      await endEntry(tx, id, { state: 'cancelled', detail: 'It was disqualified before it ran.' })
  })
}
