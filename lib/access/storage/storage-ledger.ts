import { database } from '../../database/client'
import { transaction } from '../../database/transaction'

/**
 * Adds up the changes of stored bytes, so that reading a sum stays cheap. One statement: a concurrent reader sees the
 * changes or their sum.
 */
export async function compactStorageLedger(): Promise<void> {
  await database().pool.query(
    `WITH several AS (
       SELECT user_id, project_id, kind FROM storage_changes GROUP BY 1, 2, 3 HAVING count(*) > 1
     ), gone AS (
       DELETE FROM storage_changes c USING several s
        WHERE (c.user_id, c.project_id, c.kind) = (s.user_id, s.project_id, s.kind)
        RETURNING c.user_id, c.project_id, c.kind, c.bytes
     )
     INSERT INTO storage_changes (user_id, project_id, kind, bytes)
     SELECT user_id, project_id, kind, sum(bytes) FROM gone GROUP BY 1, 2, 3 HAVING sum(bytes) <> 0`,
  )
}

/**
 * Counts everything again. This corrects what somebody changed by hand in the database, and removes the changes of
 * deleted users and projects. In one snapshot a file and its change are both visible, or neither is.
 */
export async function recountStorage(): Promise<void> {
  await transaction(async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    await tx.query('DELETE FROM storage_changes')
    await tx.query(
      `INSERT INTO storage_changes (user_id, project_id, kind, bytes)
       SELECT user_id, project_id, kind, sum(bytes) FROM stored_bytes GROUP BY 1, 2, 3 HAVING sum(bytes) <> 0`,
    )
  })
}
