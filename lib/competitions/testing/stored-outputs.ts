import { copyRows, makeJob } from '../../cluster/testing/rows'
import { database } from '../../database/client'
import type { TestCompetition } from './competition'
import { endWaitingJob } from './ended-jobs'

/** Gives entries the jobs that ran them, each with a stored output of the name pred.csv. */
export async function storeOutputs(
  { serviceUserId, slug }: TestCompetition,
  ids: readonly string[],
): Promise<void> {
  const { pool } = database()
  const first = await makeJob({ userId: serviceUserId, project: slug })
  if (!(await endWaitingJob(first))) throw new Error('The job of an entry did not wait.')
  const jobs = [
    first,
    ...(ids.length > 1 ? await copyRows('jobs', first, {}, { count: ids.length - 1 }) : []),
  ]
  await pool.query(
    `WITH given AS (SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS g (entry, job)),
          kept AS (INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256)
                   SELECT gen_random_uuid(), job, 0, 0, 'pred.csv', 1, 'hash' FROM given)
     UPDATE entries e SET job_id = g.job FROM given g WHERE e.id = g.entry`,
    [ids, jobs],
  )
}

/** Adds a version of the scoring program, as an upload of it does. Returns its id. */
export async function addScorer({ id, snapshots, config }: TestCompetition): Promise<string> {
  const { rows } = await database().pool.query<{ id: string }>(
    `INSERT INTO competition_scorers (id, competition_id, version, snapshot_id, spec)
     SELECT gen_random_uuid(), $1, max(version) + 1, $2, $3 FROM competition_scorers WHERE competition_id = $1 RETURNING id`,
    [id, snapshots.scorer?.id, config.scorer],
  )
  return rows[0]?.id ?? ''
}
