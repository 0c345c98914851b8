import type { Submitter } from '../../access/projects/submission-project'
import { conflict } from '../../contract/errors'
import { type JobStatus, toUploadStatus } from '../../contract/status'
import { findRow, type Transaction } from '../../database/transaction'

/**
 * Refuses the name of a job of the user that has not ended. Call it under the lock on the user's row: without it, two
 * concurrent submissions would both find the name unused.
 * @throws 409 with the id of that job. A token of a class is told only the ids of jobs in it.
 */
export async function requireUnusedName(
  tx: Transaction,
  { userId, onlyProject }: Submitter,
  name: string | undefined,
): Promise<void> {
  const live = await findRow<{ id: string; status: JobStatus; projectId: string }>(tx, {
    name: 'live-job-of-name',
    text: `SELECT id, status, project_id AS "projectId" FROM jobs
            WHERE user_id = $1 AND name = $2 AND status IN ('pending', 'scheduled', 'running')
            ORDER BY created_at DESC, id DESC LIMIT 1`,
    values: [userId, name],
  })
  if (!live) return
  if (onlyProject !== null && onlyProject.id !== live.projectId)
    throw conflict(`The name "${name}" is used by a job of yours in another project. Use another name.`)
  throw conflict(
    `The name "${name}" is used by your job ${live.id}, which has not ended. Use another name, or stop that job first.`,
    { jobs: [{ job_id: live.id, name: name ?? null, status: toUploadStatus(live.status) }] },
  )
}
