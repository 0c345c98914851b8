import type { Submitter } from '../../access/projects/submission-project'
import { reaches } from '../../access/restriction'
import { conflict } from '../../contract/errors'
import { type JobStatus, toUploadStatus } from '../../contract/status'
import { findRow, type Transaction } from '../../database/transaction'

/**
 * Refuses the name of a job of the user that has not ended. Call it under the lock on the user's row: without it, two
 * concurrent submissions would both find the name unused.
 * @throws 409 with the id of that job. A restricted token is told only the ids of jobs that it reaches.
 */
export async function requireUnusedName(
  tx: Transaction,
  { userId, restriction }: Submitter,
  name: string | undefined,
): Promise<void> {
  const live = await findRow<{ id: string; status: JobStatus; project_id: string; token_id: string | null }>(
    tx,
    {
      name: 'live-job-of-name',
      text: `SELECT id, status, project_id, token_id FROM jobs
            WHERE user_id = $1 AND name = $2 AND status IN ('pending', 'scheduled', 'running')
            ORDER BY created_at DESC, id DESC LIMIT 1`,
      values: [userId, name],
    },
  )
  if (!live) return
  if (!reaches(restriction, live))
    throw conflict(
      `The name "${name}" is used by another job of this user, which this token does not see. Use another name.`,
    )
  throw conflict(
    `The name "${name}" is used by your job ${live.id}, which has not ended. Use another name, or stop that job first.`,
    { jobs: [{ job_id: live.id, name: name ?? null, status: toUploadStatus(live.status) }] },
  )
}
