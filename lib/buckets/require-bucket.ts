import type { JobConfig } from '../contract/config/config'
import { invalidField } from '../contract/errors'
import { findRow, type Transaction } from '../database/transaction'
import type { JobOwner } from '../jobs/submission/job-owner'

/** @throws 422 if the project has no bucket of that name. The name on the S3 server counts too. */
export async function requireBucket(
  tx: Transaction,
  { projectId }: Pick<JobOwner, 'projectId'>,
  { bucket: name }: Pick<JobConfig, 'bucket'>,
): Promise<void> {
  if (name === undefined) return
  const found = await findRow<{ name: string; bucket: string }>(
    tx,
    'SELECT b.name, b.bucket FROM projects p JOIN buckets b ON b.id = p.bucket_id WHERE p.id = $1',
    [projectId],
  )
  if (found?.name === name || found?.bucket === name) return
  const message = found
    ? `the bucket of the project is "${found.name}": use this name, or ask an admin to assign "${name}" to the project`
    : `the project has no bucket: ask an admin to register "${name}" and to assign it to the project, or remove this`
  throw invalidField('bucket', message)
}
