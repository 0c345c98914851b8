import { database } from '../../database/client'
import { wakeLeader } from '../../database/notify'
import { findRow, type Transaction, transaction } from '../../database/transaction'
import { withProgram } from '../../jobs/state/submit'
import { logger } from '../../logger'
import { checkOutputs } from '../scoring/check-outputs'
import { endRunRow } from '../scoring/end-run'
import { readStored } from '../scoring/find-outputs'
import { type JobPlace, placeColumns } from '../scoring/make-job'
import { makeScoringJob, type ScoringJob } from '../scoring/start-score-run'
import { countUnfinishedJobs, unfinishedJobs } from '../scoring/unfinished-jobs'

/** Few, so that other submissions never wait long for the lock on the queue. */
const maxStarted = 10

/**
 * Starts scoring programs of sets that score again, in the places of a competition that no entry waits for. The leader calls it after each change
 * of the queue; a second call at the same time changes nothing. Returns whether more can follow at once.
 */
export async function startRescoring(): Promise<boolean> {
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'competitions-to-rescore',
    text: `SELECT c.id FROM competitions c
            WHERE c.id IN (SELECT s.competition_id FROM rescores s JOIN score_runs r ON r.rescore_id = s.id
                            WHERE s.state = 'running' AND r.state = 'queued')
              AND ${hasPlace}
            ORDER BY c.created_at, c.id`,
  })
  let started = 0
  for (const { id } of rows) {
    try {
      started += await withProgram(() => transaction((tx) => startOf(tx, id)))
    } catch (error) {
      logger.error({ err: error, competition: id }, 'could not score entries again; the leader tries again')
    }
  }
  if (started > 0) wakeLeader()
  return started > 0
}

/** SQL: the competition `c` may have one more job, and no entry waits for it. */
const hasPlace = `NOT EXISTS (SELECT 1 FROM entries e WHERE e.competition_id = c.id AND e.state = 'held' AND e.disqualified_at IS NULL)
              AND c.parallel > ${unfinishedJobs('c.id')}`

interface WaitingRun extends ScoringJob {
  id: string
  /** Null: the job of the entry was deleted, with all that it left. */
  jobId: string | null
  attempt: number | null
}

/** Returns how many runs have left their wait. */
async function startOf(tx: Transaction, competitionId: string): Promise<number> {
  const competition = await findRow<JobPlace & { parallel: number }>(tx, {
    name: 'lock-competition-to-rescore',
    text: `SELECT ${placeColumns}, c.parallel FROM competitions c JOIN projects p ON p.id = c.project_id
            WHERE c.id = $1 AND ${hasPlace} FOR NO KEY UPDATE OF c`,
    values: [competitionId],
  })
  if (!competition) return 0
  // Counted after the lock: another leader may have started jobs before.
  const places = competition.parallel - (await countUnfinishedJobs(tx, competitionId))
  // A run that was started before has the paths of its scoring program as labels, so those of the set are read.
  const { rows } = await tx.query<WaitingRun>({
    name: 'lock-waiting-score-runs',
    text: `SELECT r.id, r.entry_id AS "entryId", e.mounts, s.labels, p.spec AS scorer, n.name || '@' || n.version AS snapshot,
                  j.id AS "jobId", j.attempt
             FROM rescores s JOIN score_runs r ON r.rescore_id = s.id JOIN entries e ON e.id = r.entry_id
             JOIN competition_scorers p ON p.id = r.scorer_id JOIN snapshots n ON n.id = p.snapshot_id
             LEFT JOIN jobs j ON j.id = e.job_id
            WHERE s.competition_id = $1 AND s.state = 'running' AND r.state = 'queued'
            ORDER BY r.rescore_id, r.id LIMIT $2 FOR UPDATE OF r SKIP LOCKED`,
    values: [competitionId, Math.max(0, Math.min(maxStarted, places))],
  })
  let started = 0
  for (const run of rows) {
    const outcome = await start(tx, competition, run)
    // The others would be refused for the same reason.
    if (outcome === 'refused') break
    started += 1
  }
  return started
}

async function start(tx: Transaction, place: JobPlace, run: WaitingRun): Promise<'started' | 'refused'> {
  const problem = await findProblem(tx, run)
  if (problem !== null) {
    await endRunRow(tx, run.id, { problem })
    return 'started'
  }
  const { made, mounts } = await makeScoringJob(tx, place, run)
  if ('jobId' in made) {
    await tx.query({
      name: 'start-waiting-score-run',
      text: `UPDATE score_runs SET state = 'running', job_id = $2, labels = $3 WHERE id = $1`,
      values: [run.id, made.jobId, JSON.stringify(mounts)],
    })
    return 'started'
  }
  if (made.isPassing) return 'refused'
  await endRunRow(tx, run.id, made)
  return 'started'
}

/** Why the outputs of an entry cannot be scored again; null: they can. */
async function findProblem(tx: Transaction, { jobId, attempt, scorer }: WaitingRun): Promise<string | null> {
  if (jobId === null || attempt === null) return 'The job of the entry was deleted with its outputs.'
  const checked = checkOutputs(scorer.outputs, await readStored(tx, { jobId, attempt }))
  return 'problem' in checked ? `${checked.problem} It may have been deleted.` : null
}
