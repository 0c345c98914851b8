import type { Transaction } from '../../database/transaction'

/**
 * Marks that the files of an ended job are deleted. If somebody asked for it, its source goes too, and no longer counts as the same
 * content. Returns false if they are marked already, or its result is not stored yet.
 * @param retentionDays the retention that deletes them. Null: somebody asked for it.
 */
export async function markFilesDeleted(
  tx: Transaction,
  jobId: string,
  retentionDays: number | null,
): Promise<boolean> {
  const { rows } = await tx.query<{ programHash: Buffer | null }>(
    `WITH job AS (
       SELECT id, program_hash FROM jobs WHERE id = $1 AND files_deleted IS NULL AND result_stored FOR UPDATE
     )
     UPDATE jobs SET files_deleted = $2, deleted_after_days = $3,
            program_hash = CASE WHEN $3::int IS NOT NULL THEN jobs.program_hash END,
            content_hash = CASE WHEN $3::int IS NOT NULL THEN content_hash END
       FROM job WHERE jobs.id = job.id RETURNING job.program_hash AS "programHash"`,
    [jobId, retentionDays === null ? 'on_request' : 'retention', retentionDays],
  )
  const [job] = rows
  if (job?.programHash && retentionDays === null) await deleteUnusedProgram(tx, job.programHash)
  return job !== undefined
}

/** Deletes a program that no job has any more. Jobs are never deleted, so this is the only way in which a program loses a job. */
async function deleteUnusedProgram(tx: Transaction, hash: Buffer): Promise<void> {
  // Waits for submissions with this program, and blocks new ones. A statement of its own, so that the next one sees their jobs.
  await tx.query('SELECT 1 FROM programs WHERE hash = $1 FOR UPDATE', [hash])
  await tx.query(
    'DELETE FROM programs WHERE hash = $1 AND NOT EXISTS (SELECT 1 FROM jobs WHERE program_hash = $1)',
    [hash],
  )
}
