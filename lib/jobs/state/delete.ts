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
  const { rowCount } = await tx.query(
    `UPDATE jobs SET files_deleted = $2, deleted_after_days = $3,
            code = CASE WHEN $3::int IS NULL THEN '' ELSE code END, content_hash = CASE WHEN $3::int IS NULL THEN NULL ELSE content_hash END
      WHERE id = $1 AND files_deleted IS NULL AND result_stored`,
    [jobId, retentionDays === null ? 'on_request' : 'retention', retentionDays],
  )
  return rowCount === 1
}
