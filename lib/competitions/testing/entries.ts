import { uuidv7 } from 'uuidv7'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { database } from '../../database/client'
import { transaction } from '../../database/transaction'
import type { EntryCause } from '../contract-entries'
import { endEntry } from '../scoring/end-entry'
import type { TestCompetition } from './competition'

/** Gives an entry a job that has started, as the leader does. Returns the id of the job. */
export async function startEntry({ serviceUserId, slug }: TestCompetition, id: string): Promise<string> {
  const jobId = await makeJob({ userId: serviceUserId, project: slug })
  await placeManually((await makeNode()).nodeId, jobId)
  await database().pool.query("UPDATE entries SET state = 'running', job_id = $2, code = '' WHERE id = $1", [
    id,
    jobId,
  ])
  return jobId
}

/** Ends an entry with these scores, as the leader does after a scoring program. */
export async function scoreEntry(
  { scorerId }: TestCompetition,
  id: string,
  scores: Record<string, number>,
): Promise<void> {
  const scoreRunId = uuidv7()
  await database().pool.query(
    `INSERT INTO score_runs (id, entry_id, scorer_id, labels, state, scores, ended_at) VALUES ($1, $2, $3, '{}', 'scored', $4, now())`,
    [scoreRunId, id, scorerId, scores],
  )
  await transaction((tx) => endEntry(tx, id, { state: 'scored', scoreRunId }))
}

/** Ends an entry as failed. */
export async function failEntry(id: string, cause: EntryCause): Promise<void> {
  await transaction((tx) => endEntry(tx, id, { state: 'failed', cause, detail: `A detail of ${cause}.` }))
}
