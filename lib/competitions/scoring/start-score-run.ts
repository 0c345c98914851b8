import { uuidv7 } from 'uuidv7'
import type { Transaction } from '../../database/transaction'
import { findRow } from '../../database/transaction'
import type { ScorerConfig } from '../contract-config'
import { commandOf, labelsFor, pathsOf } from '../contract-formats'
import { endEntry } from './end-entry'
import { type JobPlace, type MadeJob, makeJob, placeColumns } from './make-job'
import { dataPath, inputsPath, scoresVariable } from './variables'

/** What a scoring program is started with. */
export interface ScoringJob {
  entryId: string
  /** What the entry has read, by path. */
  mounts: Record<string, string>
  labels: Record<string, string>
  scorer: ScorerConfig
  /** The snapshot of the program. */
  snapshot: string
}

/** Adds a job to the queue that scores the outputs of an entry. Returns also what it reads. */
export async function makeScoringJob(
  tx: Transaction,
  place: JobPlace,
  { entryId, mounts: read, labels, scorer, snapshot }: ScoringJob,
): Promise<{ made: MadeJob; mounts: Record<string, string> }> {
  const { results, files } = pathsOf(scorer)
  const mounts = { ...labelsFor(scorer, labels), ...inputsOf(read) }
  const made = await makeJob(tx, place, {
    code: Buffer.alloc(0),
    keys: {
      name: `score ${entryId}`,
      command: commandOf(scorer),
      archive: snapshot,
      environment: scorer.environment,
      gpu_count: scorer.gpu_count,
      max_time: scorer.max_time,
    },
    env: { [scoresVariable]: `${results}/${files[0]}` },
    mounts,
  })
  return { made, mounts }
}

/**
 * Starts a run of the scoring program over an entry that the transaction has locked. Returns whether it has changed the entry: what passes
 * by itself, such as a full queue, is tried again.
 */
export async function startScoreRun(tx: Transaction, entryId: string): Promise<boolean> {
  const entry = await findRow<JobPlace & ScoringJob & { scorerId: string }>(tx, {
    name: 'entry-to-score',
    text: `SELECT ${placeColumns}, e.id AS "entryId", e.mounts, e.labels, e.scorer_id AS "scorerId", s.spec AS scorer,
                  n.name || '@' || n.version AS snapshot
             FROM entries e JOIN competitions c ON c.id = e.competition_id JOIN projects p ON p.id = c.project_id
             JOIN competition_scorers s ON s.id = e.scorer_id JOIN snapshots n ON n.id = s.snapshot_id
            WHERE e.id = $1`,
    values: [entryId],
  })
  if (!entry) return false
  const { made, mounts } = await makeScoringJob(tx, entry, entry)
  if (!('jobId' in made)) {
    if (!made.isPassing)
      await endEntry(tx, entryId, { state: 'failed', cause: 'scorer', detail: made.problem })
    return !made.isPassing
  }
  await tx.query({
    name: 'start-score-run',
    text: `WITH run AS (INSERT INTO score_runs (id, entry_id, scorer_id, labels, job_id) VALUES ($1, $2, $3, $4, $5))
           UPDATE entries SET state = 'scoring', detail = NULL WHERE id = $2`,
    values: [uuidv7(), entryId, entry.scorerId, JSON.stringify(mounts), made.jobId],
  })
  return true
}

/** What the entry has read, at the paths of scoring programs. */
function inputsOf(mounts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(mounts)
      .filter(([path]) => path.startsWith(`${dataPath}/`))
      .map(([path, snapshot]) => [inputsPath + path.slice(dataPath.length), snapshot]),
  )
}
