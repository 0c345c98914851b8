import { z } from 'zod'
import { type Actor, isAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { conflict, notFound } from '../contract/errors'
import { acquireLockOf } from '../database/locks'
import { findRow, type Transaction, transaction } from '../database/transaction'
import { storage } from '../storage/storage'
import { neededByLiveJob } from './archive-use'
import { blobKey } from './blob-key'

/**
 * Deletes an uploaded directory and the contents that no other directory of its users has. Its ended jobs keep
 * their record. A client that uploads the same contents now is told to send them.
 * @throws 404 unless the actor owns the project or is an admin, 409 if a job that has not ended needs it, or if it is a
 * snapshot.
 */
export async function deleteArchive(actor: Actor, id: string): Promise<void> {
  const { projectId, hashes } = await transaction(async (tx) => {
    const { projectId } = await findOwnArchive(tx, actor, id)
    await acquireLockOf(tx, 'archiveContents', projectId)
    // Waits for submissions and snapshots that use it, and blocks new ones.
    await tx.query('SELECT 1 FROM archives WHERE id = $1 FOR UPDATE', [id])
    await requireUnused(tx, id)
    const hashes = await removeArchives(tx, projectId, [id])
    await recordAudit(tx, { actorId: actor.userId, action: 'archive_deleted', target: id })
    return { projectId, hashes }
  })
  await removeBlobs(projectId, hashes)
}

async function requireUnused(tx: Transaction, id: string): Promise<void> {
  const found = await findRow<{ live: boolean; snapshot: string | null }>(
    tx,
    `SELECT ${neededByLiveJob} AS live,
            (SELECT s.name || '@' || s.version FROM snapshots s WHERE s.archive_id = a.id ORDER BY 1 LIMIT 1) AS snapshot
       FROM archives a WHERE a.id = $1`,
    [id],
  )
  // Null: a concurrent request has deleted it.
  if (found?.live) {
    throw conflict('A job that has not ended needs this directory. Cancel the job, or wait for its end.')
  }
  if (found && found.snapshot !== null) {
    throw conflict(`This directory is the snapshot ${found.snapshot}. Delete the snapshot instead.`)
  }
}

/** SQL for `named (user_id, hash)`: the contents of a project's archives that satisfy a condition, for each user who has them. */
export const namedContents = (condition: string) => `named AS MATERIALIZED (
  SELECT DISTINCT h.user_id, decode(e->>'sha256', 'hex') AS hash
    FROM archives a JOIN archive_holders h ON h.archive_id = a.id
   CROSS JOIN jsonb_array_elements(a.manifest->'entries') e
   WHERE a.project_id = $1 AND e ? 'sha256' AND ${condition})`

/** SQL condition: no archive in {@link namedContents} needs the content `b` of a user. */
export const isUnnamed = 'NOT EXISTS (SELECT 1 FROM named n WHERE n.hash = b.hash AND n.user_id = b.user_id)'

/**
 * Deletes archives of a project. A user loses the contents that no other archive of theirs has, also if another user has them:
 * otherwise an upload of the same content would tell that. Returns the hashes of what was lost for {@link removeBlobs}. The
 * caller holds the lock on the project's contents.
 */
export async function removeArchives(tx: Transaction, projectId: string, ids: string[]): Promise<string[]> {
  const { rows } = await tx.query<{ hash: string }>(
    `WITH gone AS (DELETE FROM archives WHERE id = ANY ($2::uuid[])),
          lost AS MATERIALIZED (
            SELECT DISTINCT h.user_id, decode(e->>'sha256', 'hex') AS hash
              FROM archives a JOIN archive_holders h ON h.archive_id = a.id
             CROSS JOIN jsonb_array_elements(a.manifest->'entries') e WHERE a.id = ANY ($2::uuid[]) AND e ? 'sha256'),
          ${namedContents('a.id <> ALL ($2::uuid[])')}
     DELETE FROM archive_blobs b USING lost
      WHERE b.project_id = $1 AND b.hash = lost.hash AND b.user_id = lost.user_id AND ${isUnnamed}
      RETURNING encode(b.hash, 'hex') AS hash`,
    [projectId, ids],
  )
  return [...new Set(rows.map(({ hash }) => hash))]
}

/** Removes deleted contents from the store. The sweep removes what fails here. */
export async function removeBlobs(projectId: string, hashes: readonly string[]): Promise<void> {
  for (const hash of hashes) await removeBlob(projectId, hash)
}

async function findOwnArchive(tx: Transaction, actor: Actor, id: string): Promise<{ projectId: string }> {
  const archive = z.uuid().safeParse(id).success
    ? await findRow<{ projectId: string }>(
        tx,
        `SELECT a.project_id AS "projectId" FROM archives a JOIN projects p ON p.id = a.project_id
          WHERE a.id = $1 AND ($2 OR p.owner_id = $3)`,
        [id, isAdmin(actor), actor.userId],
      )
    : null
  if (archive) return archive
  throw notFound('You have no directory with this id. GET /api/storage lists yours.')
}

/** Under the lock, because the same content may have been uploaded again. Does nothing while another user has it. */
async function removeBlob(projectId: string, hash: string): Promise<void> {
  await transaction(async (tx) => {
    await acquireLockOf(tx, 'archiveContents', projectId)
    const { rowCount } = await tx.query(
      `SELECT 1 FROM archive_blobs WHERE project_id = $1 AND hash = decode($2, 'hex') LIMIT 1`,
      [projectId, hash],
    )
    if (rowCount === 0) await storage().remove(blobKey(projectId, hash))
  })
}
