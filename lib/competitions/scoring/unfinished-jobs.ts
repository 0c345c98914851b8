import { oneRow, type Transaction } from '../../database/transaction'

/**
 * SQL: how many jobs of a competition have not ended. Entries have one each while they run and while they are scored, and so has each run of
 * a set that scores stored outputs again.
 * @param competitionId SQL for the id of the competition
 */
export const unfinishedJobs = (competitionId: string) =>
  `((SELECT count(*) FROM entries e WHERE e.competition_id = ${competitionId} AND e.state IN ('running', 'scoring'))
    + (SELECT count(*) FROM rescores s JOIN score_runs r ON r.rescore_id = s.id
        WHERE s.competition_id = ${competitionId} AND r.state = 'running'))::int`

/** Counts the jobs of a competition that have not ended. */
export async function countUnfinishedJobs(tx: Transaction, competitionId: string): Promise<number> {
  const { jobs } = await oneRow<{ jobs: number }>(tx, {
    name: 'unfinished-jobs-of-competition',
    text: `SELECT ${unfinishedJobs('$1')} AS jobs`,
    values: [competitionId],
  })
  return jobs
}
