import { isReached, reachOf } from '../../access/restriction'
import type { JobConfig } from '../../contract/config/config'
import { splitDependencies } from '../../contract/config/depends-on'
import { invalidField } from '../../contract/errors'
import { isFinal, type JobStatus } from '../../contract/status'
import type { Transaction } from '../../database/transaction'
import { holdForDependencies } from '../state/hold'
import type { JobOwner } from './job-owner'

/**
 * Finds those jobs of a config's `depends_on` that have not ended.
 * @throws 422 for a job that neither the owner nor the caller has, and for one that has ended without completing.
 */
export async function findUnfinished(
  tx: Transaction,
  { userId, callerId, restriction }: JobOwner,
  { depends_on }: Pick<JobConfig, 'depends_on'>,
): Promise<string[]> {
  const { jobIds } = splitDependencies(depends_on)
  if (jobIds.length === 0) return []
  const { rows } = await tx.query<{ id: string; status: JobStatus }>({
    name: 'find-dependencies',
    text: `SELECT id, status FROM jobs WHERE id = ANY ($1::uuid[]) AND user_id = ANY ($2::uuid[])
              AND ${isReached('jobs', '$3', '$4')}`,
    values: [jobIds, [userId, callerId], ...reachOf(restriction)],
  })
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  return jobIds.filter((id) => {
    const status = statuses.get(id)
    if (status === undefined)
      throw invalidField('depends_on', `there is no job ${id} of yours: name one of your jobs`)
    if (isFinal(status) && status !== 'completed') {
      const message = `the job ${id} has ended as ${status}, so this job could never start: run that job again, and name the new one`
      throw invalidField('depends_on', message)
    }
    return !isFinal(status)
  })
}

/** Keeps a new job from starting until the leader has seen that the others have completed. */
export async function insertDependencies(
  tx: Transaction,
  jobId: string,
  unfinished: readonly string[],
): Promise<void> {
  if (unfinished.length === 0) return
  await tx.query({
    name: 'insert-dependencies',
    text: 'INSERT INTO job_dependencies (job_id, depends_on) SELECT $1, unnest($2::uuid[])',
    values: [jobId, unfinished],
  })
  await holdForDependencies(tx, jobId)
}
