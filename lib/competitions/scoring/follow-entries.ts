import { readStorageQuota } from '../../access/storage/storage-quota'
import { isFinal, type JobStatus } from '../../contract/status'
import { database } from '../../database/client'
import { wakeLeader } from '../../database/notify'
import { findRow, type Transaction, transaction } from '../../database/transaction'
import { withProgram } from '../../jobs/state/submit'
import { logger } from '../../logger'
import type { ScorerConfig } from '../contract-config'
import type { Entry } from '../contract-entries'
import { checkOutputs } from './check-outputs'
import { type EntryEnd, endEntry } from './end-entry'
import { readStored } from './find-outputs'
import { judgeEnd } from './judge-end'
import { startScoreRun } from './start-score-run'

const maxFollowed = 50
const MiB = 1024 * 1024

/**
 * Ends entries whose jobs have ended, or starts their scoring programs. The leader calls it after each change of the queue; a second call at
 * the same time changes nothing. Returns whether more can follow at once.
 */
export async function followEntries(): Promise<boolean> {
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'entries-to-follow',
    text: `SELECT e.id FROM entries e LEFT JOIN jobs j ON j.id = e.job_id
            WHERE e.state = 'running' AND (j.id IS NULL OR j.status IN ('completed', 'failed', 'cancelled'))
            ORDER BY e.received_at, e.id LIMIT $1`,
    values: [maxFollowed],
  })
  let followed = 0
  for (const { id } of rows) {
    try {
      if (await withProgram(() => transaction((tx) => follow(tx, id)))) followed += 1
    } catch (error) {
      logger.error({ err: error, entry: id }, 'could not follow an entry; the leader tries again')
    }
  }
  if (followed > 0) wakeLeader()
  return followed === maxFollowed
}

interface RunEntry {
  kind: Entry['kind']
  disqualified: boolean
  scorer: ScorerConfig
  /** Null: its job was deleted, with all that it left. */
  jobId: string | null
  status: JobStatus | null
  reason: string | null
  reasonDetail: string | null
  attempt: number | null
  filesDeleted: boolean
  userId: string
  projectId: string
}

/** Returns whether it has changed the entry. */
async function follow(tx: Transaction, id: string): Promise<boolean> {
  const entry = await findRow<RunEntry>(tx, {
    name: 'lock-entry-to-follow',
    text: `SELECT e.kind, e.disqualified_at IS NOT NULL AS disqualified, s.spec AS scorer, j.id AS "jobId", j.status, j.reason,
                  j.reason_detail AS "reasonDetail", j.attempt, j.files_deleted IS NOT NULL AS "filesDeleted",
                  c.user_id AS "userId", c.project_id AS "projectId"
             FROM entries e JOIN competition_scorers s ON s.id = e.scorer_id JOIN competitions c ON c.id = e.competition_id
             LEFT JOIN jobs j ON j.id = e.job_id
            WHERE e.id = $1 AND e.state = 'running' FOR UPDATE OF e`,
    values: [id],
  })
  if (!entry || (entry.status !== null && !isFinal(entry.status))) return false
  const end = await judge(tx, entry)
  if (end === null) return startScoreRun(tx, id)
  await endEntry(tx, id, end)
  return true
}

/** How an entry ends whose job has ended; null: it is scored. */
async function judge(tx: Transaction, entry: RunEntry): Promise<EntryEnd | null> {
  const { jobId, status, reason, reasonDetail, attempt } = entry
  if (jobId === null || attempt === null || status === null)
    return { state: 'failed', cause: 'system', detail: 'The job of the entry was deleted.' }
  if (status !== 'completed') return judgeEnd(reason, reasonDetail)
  if (entry.disqualified) return { state: 'cancelled', detail: 'It was disqualified while it ran.' }
  const checked = checkOutputs(entry.scorer.outputs, await readStored(tx, { jobId, attempt }))
  if ('problem' in checked) return judgeMissing(tx, entry, checked.problem)
  return entry.kind === 'rehearsal' ? { state: 'scored', scoreRunId: null } : null
}

/** An output that gpuq did not keep is no failure of the program. */
async function judgeMissing(tx: Transaction, entry: RunEntry, problem: string): Promise<EntryEnd> {
  if (entry.filesDeleted)
    return {
      state: 'failed',
      cause: 'system',
      detail: 'The files of its job were deleted before it was scored.',
    }
  const quota = await readStorageQuota(tx, entry)
  const largest = Math.max(...entry.scorer.outputs.map(({ max_mb }) => max_mb)) * MiB
  if (quota.remainingBytes < largest)
    return { state: 'failed', cause: 'system', detail: `${problem} ${quota.describe()}` }
  const detail = [problem, entry.reasonDetail].filter((sentence) => sentence !== null).join(' ')
  return { state: 'failed', cause: 'outputs', detail }
}
