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
 * Deletes an uploaded directory and the contents that no other directory of its project has. Its ended jobs keep
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

/**
 * Deletes archives of a project and the contents that no other one has. Returns the hashes of these contents for
 * {@link removeBlobs}. The caller holds the lock on the project's contents.
 */
export async function removeArchives(tx: Transaction, projectId: string, ids: string[]): Promise<string[]> {
  const { rows } = await tx.query<{ hash: string }>(
    `WITH gone AS (DELETE FROM archives WHERE id = ANY ($2::uuid[]) RETURNING manifest),
          contents AS MATERIALIZED (
            SELECT DISTINCT e->>'sha256' AS hash FROM gone, jsonb_array_elements(manifest->'entries') e WHERE e ? 'sha256'),
          named AS MATERIALIZED (
            SELECT DISTINCT e->>'sha256' AS hash FROM archives a, jsonb_array_elements(a.manifest->'entries') e
             WHERE a.project_id = $1 AND a.id <> ALL ($2::uuid[]) AND e ? 'sha256')
     DELETE FROM archive_blobs b
      WHERE b.project_id = $1 AND encode(b.hash, 'hex') IN (SELECT hash FROM contents)
        AND NOT EXISTS (SELECT 1 FROM named WHERE named.hash = encode(b.hash, 'hex'))
      RETURNING encode(b.hash, 'hex') AS hash`,
    [projectId, ids],
  )
  return rows.map(({ hash }) => hash)
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

/** Under the lock, because the same content may have been uploaded again. */
async function removeBlob(projectId: string, hash: string): Promise<void> {
  await transaction(async (tx) => {
    await acquireLockOf(tx, 'archiveContents', projectId)
    const { rowCount } = await tx.query(
      `SELECT 1 FROM archive_blobs WHERE project_id = $1 AND hash = decode($2, 'hex')`,
      [projectId, hash],
    )
    if (rowCount === 0) await storage().remove(blobKey(projectId, hash))
  })
}
