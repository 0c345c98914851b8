import { database } from '../../database/client'
import { wakeLeader } from '../../database/notify'
import { findRow, type Transaction, transaction } from '../../database/transaction'
import { logger } from '../../logger'
import type { PhaseConfig } from '../contract-config'
import { cancelJob } from '../scoring/cancel-job'
import { addMissing, countMissing, isOutdated } from './pending-entries'

/**
 * Adds entries to open sets that were scored by an older version since, says which sets are ready, and cancels the jobs of those that were
 * discarded. The leader calls it after each change of the queue; a second call at the same time changes nothing.
 */
export async function followRescores(): Promise<boolean> {
  const { pool } = database()
  const { rows: open } = await pool.query<{ id: string }>({
    name: 'open-rescores',
    text: `SELECT id FROM rescores WHERE state IN ('running', 'ready') ORDER BY created_at, id`,
  })
  let added = 0
  for (const { id } of open) {
    try {
      added += await transaction((tx) => follow(tx, id))
    } catch (error) {
      logger.error({ err: error, rescore: id }, 'could not follow a set; the leader tries again')
    }
  }
  const { rows: running } = await pool.query<{ jobId: string }>({
    name: 'jobs-of-discarded-rescores',
    text: `SELECT j.id AS "jobId" FROM score_runs r JOIN rescores s ON s.id = r.rescore_id JOIN jobs j ON j.id = r.job_id
            WHERE r.state = 'running' AND r.rescore_id IS NOT NULL AND s.state = 'discarded'
              AND j.status IN ('pending', 'scheduled', 'running') AND j.cancel_requested_at IS NULL
            ORDER BY r.id`,
  })
  for (const { jobId } of running) await cancelJob(jobId)
  if (added > 0) wakeLeader()
  return added > 0
}

interface OpenSet {
  competitionId: string
  spec: PhaseConfig
  scorerId: string
  labels: Record<string, string>
}

/** Returns how many entries it has added. */
async function follow(tx: Transaction, id: string): Promise<number> {
  const set = await findRow<OpenSet>(tx, {
    name: 'lock-open-rescore',
    text: `SELECT s.competition_id AS "competitionId", p.spec, s.scorer_id AS "scorerId", s.labels
             FROM rescores s JOIN competition_phases p ON p.id = s.phase_id
            WHERE s.id = $1 AND s.state IN ('running', 'ready') FOR UPDATE OF s`,
    values: [id],
  })
  if (!set) return 0
  const unfinished = await findRow(tx, {
    name: 'unfinished-run-of-rescore',
    text: `SELECT 1 FROM score_runs WHERE rescore_id = $1 AND state IN ('queued', 'running') LIMIT 1`,
    values: [id],
  })
  // Looking for missing entries reads all entries of the phase, so it comes once at the end.
  if (unfinished) return 0
  const outdated = await isOutdated(tx, set)
  const added = outdated ? 0 : await addMissing(tx, id)
  const awaited = outdated ? 0 : (await countMissing(tx, id)).open
  const state = added + awaited > 0 ? 'running' : 'ready'
  await tx.query({
    name: 'settle-rescore',
    text: 'UPDATE rescores SET state = $2::"RescoreState" WHERE id = $1 AND state <> $2::"RescoreState"',
    values: [id, state],
  })
  return added
}
