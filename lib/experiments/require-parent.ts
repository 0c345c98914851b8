import type { JobConfig } from '../contract/config/config'
import { invalidField } from '../contract/errors'
import { findRow, type Transaction } from '../database/transaction'
import type { JobOwner } from '../jobs/submission/job-owner'

/** @throws 422 if the owner has no such job or group in the project: the same for one of another user and for one that does not exist. */
export async function requireParent(
  tx: Transaction,
  { userId, projectId }: Pick<JobOwner, 'userId' | 'projectId'>,
  { parent }: Pick<JobConfig, 'parent'>,
): Promise<void> {
  if (parent === undefined) return
  const found = await findRow(
    tx,
    `SELECT 1 FROM jobs WHERE id = $1 AND user_id = $2 AND project_id = $3
     UNION ALL SELECT 1 FROM job_groups WHERE id = $1 AND user_id = $2 AND project_id = $3`,
    [parent, userId, projectId],
  )
  if (found) return
  const message = `there is no job or group ${parent} of yours in this project: name one of them, or remove parent`
  throw invalidField('parent', message)
}
