import { isReached, reachOf } from '../access/restriction'
import type { JobConfig } from '../contract/config/config'
import { invalidField } from '../contract/errors'
import { findRow, type Transaction } from '../database/transaction'
import type { JobOwner } from '../jobs/submission/job-owner'

/** @throws 422 if the owner has no such job or group in the project: the same for one of another user and for one that does not exist. */
export async function requireParent(
  tx: Transaction,
  { userId, projectId, restriction }: Pick<JobOwner, 'userId' | 'projectId' | 'restriction'>,
  { parent }: Pick<JobConfig, 'parent'>,
): Promise<void> {
  if (parent === undefined) return
  const found = await findRow(
    tx,
    `SELECT 1 FROM jobs j WHERE id = $1 AND user_id = $2 AND project_id = $3 AND ${isReached('j', '$4', '$5')}
     UNION ALL SELECT 1 FROM job_groups g WHERE id = $1 AND user_id = $2 AND project_id = $3 AND ${isReached('g', '$4', '$5')}`,
    [parent, userId, projectId, ...reachOf(restriction)],
  )
  if (found) return
  const message = `there is no job or group ${parent} of yours in this project: name one of them, or remove parent`
  throw invalidField('parent', message)
}
