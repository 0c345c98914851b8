import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict } from '../../contract/errors'
import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { type Transaction, transaction } from '../../database/transaction'
import { resultKey } from '../../results/name'
import { storage } from '../../storage/storage'
import { findChangeableJob } from '../read/job-visibility'
import { markFilesDeleted } from '../state/delete'

/**
 * Deletes the result, artifacts and source of an ended job for its owner or an admin. The record of the job stays.
 * Succeeds if they are deleted already.
 * @throws 404 or 403 as `findChangeableJob` does, 409 if it has not ended or its result is not stored yet.
 */
export async function deleteJobFiles(actor: Actor, jobId: string): Promise<void> {
  const { id } = await findChangeableJob(actor, jobId)
  const job = await database().prisma.job.findUnique({
    where: { id },
    select: { resultStored: true, resultFile: { select: { name: true } } },
  })
  if (!job?.resultStored) {
    throw conflict(
      'The job has not ended, or its result is being stored. Cancel it, or try again after its end.',
    )
  }
  await deleteFiles({ id, resultName: job.resultFile?.name ?? null }, null, async (tx) => {
    await recordAudit(tx, { actorId: actor.userId, action: 'job_files_deleted', target: id })
  })
}

interface JobWithFiles {
  id: string
  /** Null if the job has no result file. */
  resultName: string | null
}

/**
 * Deletes the stored files of a job and their rows. Commits the mark that says why they are gone first, so that a reader
 * who finds no file finds the mark. Safe to repeat: the sweep of {@link deleteOldFiles} finishes an interrupted deletion.
 * @param retentionDays the retention that deletes them. Null: somebody asked for it.
 * @param withMark runs in the transaction of the mark, if there was none.
 */
export async function deleteFiles(
  { id, resultName }: JobWithFiles,
  retentionDays: number | null,
  withMark: (tx: Transaction) => Promise<void> = async () => {},
): Promise<void> {
  await transaction(async (tx) => {
    if (await markFilesDeleted(tx, id, retentionDays)) await withMark(tx)
  })
  await removeStoredFiles(id, resultName)
  await transaction(async (tx) => {
    await tx.query('DELETE FROM artifacts WHERE job_id = $1', [id])
    await tx.query('DELETE FROM working_files WHERE job_id = $1', [id])
    await tx.query('DELETE FROM result_files WHERE job_id = $1', [id])
    await tx.query('SELECT pg_notify($1, $2)', [channels.job, id])
  })
}

/** Removes a job's files from the store. Safe to repeat. */
async function removeStoredFiles(jobId: string, resultName: string | null): Promise<void> {
  const store = storage()
  if (resultName !== null) await store.remove(resultKey(resultName))
  // All files in the store, including those of earlier attempts and those without a row.
  for await (const { key } of store.list(`artifacts/${jobId}`)) await store.remove(key)
}
