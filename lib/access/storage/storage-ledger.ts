import type { Ledger } from '../../database/ledger'

/** The changes of stored bytes. A recount also removes the changes of deleted users and projects. */
export const storageLedger: Ledger = {
  table: 'storage_changes',
  keys: ['user_id', 'project_id', 'kind'],
  amount: 'bytes',
  count: `SELECT user_id, project_id, kind, sum(bytes)
            FROM (SELECT * FROM stored_bytes UNION ALL SELECT * FROM stored_records) stored
           GROUP BY 1, 2, 3 HAVING sum(bytes) <> 0`,
}
