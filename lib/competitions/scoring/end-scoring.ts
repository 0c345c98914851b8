import { database } from '../../database/client'
import { wakeLeader } from '../../database/notify'
import { findRow, type Transaction, transaction } from '../../database/transaction'
import { withProgram } from '../../jobs/state/submit'
import { logger } from '../../logger'
import { artifactKey } from '../../results/name'
import { storage } from '../../storage/storage'
import { StorageFault } from '../../storage/store'
import type { ScorerConfig } from '../contract-config'
import { pathsOf } from '../contract-formats'
import { endEntry } from './end-entry'
import { endRunOfSet, endRunRow, maxSystemFaults, type RunEnd } from './end-run'
import { maxScoresBytes, readScoresFile } from './files/read-scores-file'
import { readStored } from './find-outputs'
import { type JobEnd, judgeEnd } from './judge-end'
import { startScoreRun } from './start-score-run'

const maxEnded = 50

interface EndedRun {
  id: string
  entryId: string
  /** Null: the first run over its entry. */
  rescoreId: string | null
  scorer: ScorerConfig
  /** Null: its job was deleted. */
  jobId: string | null
  status: 'completed' | 'failed' | 'cancelled' | null
  reason: string | null
  reasonDetail: string | null
  attempt: number | null
}

/**
 * Reads the scores of the scoring programs that have ended, and ends their entries. The leader calls it after each change of the queue; a
 * second call at the same time changes nothing. Returns whether more can follow at once.
 */
export async function endScoring(): Promise<boolean> {
  const { rows } = await database().pool.query<EndedRun>({
    name: 'score-runs-to-end',
    text: `SELECT r.id, r.entry_id AS "entryId", r.rescore_id AS "rescoreId", s.spec AS scorer, j.id AS "jobId", j.status, j.reason,
                  j.reason_detail AS "reasonDetail", j.attempt
             FROM score_runs r JOIN competition_scorers s ON s.id = r.scorer_id LEFT JOIN jobs j ON j.id = r.job_id
            WHERE r.state IN ('queued', 'running') AND (r.state = 'running' OR r.rescore_id IS NULL)
              AND (j.id IS NULL OR j.status IN ('completed', 'failed', 'cancelled'))
            ORDER BY r.created_at, r.id LIMIT $1`,
    values: [maxEnded],
  })
  let ended = 0
  for (const run of rows) {
    try {
      const end = await readEnd(run)
      if (await withProgram(() => transaction((tx) => endRun(tx, run, end)))) ended += 1
    } catch (error) {
      logger.error({ err: error, entry: run.entryId }, 'could not read scores; the leader tries again')
    }
  }
  if (ended > 0) wakeLeader()
  return ended === maxEnded
}

/** Reads what a scoring program left. Its output on the terminal is not looked at. */
async function readEnd({ jobId, attempt, status, reason, reasonDetail, scorer }: EndedRun): Promise<RunEnd> {
  if (jobId === null || attempt === null) return { problem: 'The job of the scoring program was deleted.' }
  if (status !== 'completed') return { job: judgeEnd(reason, reasonDetail) }
  const stored = await readStored(database().pool, { jobId, attempt })
  const { files, results } = pathsOf(scorer)
  const [found] = files.flatMap((name) => {
    const file = stored.find(({ path }) => path === name)
    return file ? [{ name, file }] : []
  })
  if (!found)
    return {
      problem: `The scoring program wrote no file of scores: it must write ${files.map((name) => `${results}/${name}`).join(' or ')}.`,
    }
  const { name, file } = found
  if (file.bytes > maxScoresBytes) return { problem: 'The file of scores is larger than 1 MiB.' }
  const content = await readContent(artifactKey({ jobId, attempt, rank: 0 }, file.id))
  // Only another run can replace it.
  if (content === null)
    return { job: { state: 'failed', cause: 'system', detail: 'Its file of scores is not in the store.' } }
  return readScoresFile(name, content, Object.keys(scorer.columns))
}

/** Reads an object of the store; null: there is none. */
async function readContent(key: string): Promise<Buffer | null> {
  try {
    const { stream } = await storage().open(key)
    const parts: Buffer[] = []
    for await (const part of stream as AsyncIterable<Buffer>) parts.push(part)
    return Buffer.concat(parts)
  } catch (error) {
    if (error instanceof StorageFault && error.code === 'not_found') return null
    throw error
  }
}

/** Returns whether it has changed the run. */
async function endRun(tx: Transaction, run: EndedRun, end: RunEnd): Promise<boolean> {
  const { id, rescoreId } = run
  if (rescoreId !== null) return endRunOfSet(tx, { id, rescoreId }, end)
  // The entry is locked before its runs, as everywhere.
  const entry = await findRow<{ state: string; disqualified: boolean; runs: number }>(tx, {
    name: 'lock-scored-entry',
    text: `SELECT state, disqualified_at IS NOT NULL AS disqualified,
                  (SELECT count(*) FROM score_runs r WHERE r.entry_id = entries.id)::int AS runs
             FROM entries WHERE id = $1 FOR UPDATE`,
    values: [run.entryId],
  })
  if (!entry || !(await endRunRow(tx, id, end))) return false
  // It was withdrawn meanwhile: the run is kept, and does not count.
  if (entry.state !== 'scoring') return true
  if ('scores' in end) {
    await endEntry(tx, run.entryId, { state: 'scored', scoreRunId: id })
    return true
  }
  if ('problem' in end) {
    await endEntry(tx, run.entryId, { state: 'failed', cause: 'scorer', detail: end.problem })
    return true
  }
  await endWithJob(tx, run.entryId, entry, end.job)
  return true
}

/** Ends an entry whose scoring program did not complete, or starts the program again after a fault of gpuq. */
async function endWithJob(
  tx: Transaction,
  entryId: string,
  { disqualified, runs }: { disqualified: boolean; runs: number },
  job: JobEnd,
): Promise<void> {
  const detail = `The scoring program: ${job.detail}`
  if (disqualified) return endEntry(tx, entryId, { state: 'cancelled', detail })
  if (job.state === 'failed' && job.cause === 'system') {
    if (runs >= maxSystemFaults) return endEntry(tx, entryId, { state: 'failed', cause: 'system', detail })
    await restart(tx, entryId, detail)
    return
  }
  await endEntry(tx, entryId, { state: 'failed', cause: 'scorer', detail })
}

/** What cannot be started now, such as in a full queue, is started by {@link followEntries}, which finds the outputs again. */
async function restart(tx: Transaction, entryId: string, detail: string): Promise<void> {
  if (await startScoreRun(tx, entryId)) return
  await tx.query(`UPDATE entries SET state = 'running', detail = $2 WHERE id = $1`, [entryId, detail])
}
