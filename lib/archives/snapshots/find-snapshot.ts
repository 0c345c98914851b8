import { parseSnapshot } from '../../contract/archives/snapshot-name'
import { findRow, type Transaction } from '../../database/transaction'

/** A version of a snapshot, and its directory. */
export interface FoundSnapshot {
  snapshotId: string
  name: string
  version: number
  archiveId: string
  /** The project of the archive; another one than the job's if the snapshot is shared. */
  ownerProjectId: string
  /** The archive's hash, in hexadecimal. */
  hash: string
  files: number
  bytes: number
}

/**
 * SQL condition: the project `project` may use the snapshot `s`. A name in the own project hides the shared one, also
 * with a version that only the shared one has: `data@2` never changes its meaning because a version was deleted.
 */
export const usableSnapshot = (project: string) => `(s.project_id = ${project}
  OR s.shared_at IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM snapshots own WHERE own.project_id = ${project} AND own.name = s.name))`

/**
 * Finds the snapshot that `name` (the newest version) or `name@version` means in a project: its own, otherwise one
 * that is shared with everyone. Neither the snapshot nor its archive can be deleted before the transaction ends. Returns
 * null if there is none.
 */
export async function findSnapshot(
  tx: Transaction,
  projectId: string,
  reference: string,
): Promise<FoundSnapshot | null> {
  const parsed = parseSnapshot(reference)
  if (!parsed) return null
  const find = () =>
    findRow<FoundSnapshot>(tx, {
      name: 'find-snapshot',
      text: `SELECT s.id AS "snapshotId", s.name, s.version, a.id AS "archiveId", a.project_id AS "ownerProjectId",
                    encode(a.hash, 'hex') AS hash, a.files, a.bytes
               FROM snapshots s JOIN archives a ON a.id = s.archive_id
              WHERE s.name = $2 AND ($3::int IS NULL OR s.version = $3) AND ${usableSnapshot('$1')}
              ORDER BY s.version DESC LIMIT 1 FOR KEY SHARE OF s, a`,
      values: [projectId, parsed.name, parsed.version],
    })
  // If a version was deleted while the first query waited for its lock, the second one finds the version before it.
  return (await find()) ?? (await find())
}
