import { database } from '../../database/client'
import { findRow, type Transaction } from '../../database/transaction'
import { artifactKey } from '../../results/name'
import type { ScorerConfig } from '../contract-config'
import { checkOutputs, type StoredOutput } from './check-outputs'

/** A file of an entry, for its scoring program. */
export interface OutputToScore extends StoredOutput {
  /** The key of its content in the store. */
  key: string
}

/** Reads the files that the last attempt of a job has left. */
export async function readStored(
  executor: Transaction,
  { jobId, attempt }: { jobId: string; attempt: number },
): Promise<StoredOutput[]> {
  const { rows } = await executor.query<Omit<StoredOutput, 'bytes'> & { bytes: string }>({
    name: 'outputs-of-entry',
    text: 'SELECT id, path, bytes::text, sha256 FROM artifacts WHERE job_id = $1 AND attempt = $2 AND rank = 0',
    values: [jobId, attempt],
  })
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }))
}

/** Finds the paths of the declared outputs of the entry with a job. Null: the job is of no entry. */
export async function findDeclaredPaths(jobId: string): Promise<ReadonlySet<string> | null> {
  const entry = await findRow<{ scorer: ScorerConfig }>(database().pool, {
    name: 'scorer-of-entry',
    text: 'SELECT s.spec AS scorer FROM entries e JOIN competition_scorers s ON s.id = e.scorer_id WHERE e.job_id = $1',
    values: [jobId],
  })
  return entry && new Set(entry.scorer.outputs.map(({ path }) => path))
}

/** What a job scores, and with which program. */
export interface EntryToRead {
  outputs: OutputToScore[]
  scorer: ScorerConfig
}

/** Finds the declared outputs of the entry that a job scores. Null: the job scores none, or an output is not stored any more. */
export async function findOutputsToScore(scoringJobId: string): Promise<EntryToRead | null> {
  const { pool } = database()
  const entry = await findRow<{ jobId: string; attempt: number; scorer: ScorerConfig }>(pool, {
    name: 'entry-of-scoring-job',
    text: `SELECT j.id AS "jobId", j.attempt, s.spec AS scorer
             FROM score_runs r JOIN entries e ON e.id = r.entry_id JOIN jobs j ON j.id = e.job_id
             JOIN competition_scorers s ON s.id = r.scorer_id
            WHERE r.job_id = $1`,
    values: [scoringJobId],
  })
  if (!entry) return null
  const { jobId, attempt, scorer } = entry
  const checked = checkOutputs(scorer.outputs, await readStored(pool, entry))
  if ('problem' in checked) return null
  const outputs = checked.outputs.map((output) => ({
    ...output,
    key: artifactKey({ jobId, attempt, rank: 0 }, output.id),
  }))
  return { outputs, scorer }
}
