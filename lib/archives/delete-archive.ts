import { z } from 'zod'
import { type Actor, isAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { GpuqError } from '../contract/errors'
import { acquireLockOf } from '../database/locks'
import { findRow, type Transaction, transaction } from '../database/transaction'
import { storage } from '../storage/storage'
import { blobKey } from './blob-key'

/**
 * Deletes an uploaded directory and the contents that no other directory of its project has. Its ended jobs keep
 * their record. A client that uploads the same contents now is told to send them.
 * @throws 404 unless the actor owns the project or is an admin, 409 if a job that has not ended needs it.
 */
export async function deleteArchive(actor: Actor, id: string): Promise<void> {
  const { projectId, hashes } = await transaction(async (tx) => {
    const archive = await findOwnArchive(tx, actor, id)
    await acquireLockOf(tx, 'archiveContents', archive.projectId)
    // Waits for submissions that use it, and blocks new ones.
    await tx.query('SELECT 1 FROM archives WHERE id = $1 FOR UPDATE', [id])
    const { rowCount } = await tx.query(
      'SELECT 1 FROM jobs WHERE archive_id = $1 AND ended_at IS NULL LIMIT 1',
      [id],
    )
    if (rowCount !== 0) {
      throw new GpuqError(
        'conflict',
        'A job that has not ended needs this directory. Cancel the job, or wait for its end.',
      )
    }
    await tx.query('DELETE FROM archives WHERE id = $1', [id])
    const deleted = await deleteUnnamedBlobs(tx, archive)
    await recordAudit(tx, { actorId: actor.userId, action: 'archive_deleted', target: id })
    return { projectId: archive.projectId, hashes: deleted }
  })
  for (const hash of hashes) await removeBlob(projectId, hash)
}

interface DeletedArchive {
  projectId: string
  /** The contents of its files. */
  contents: string[]
}

async function findOwnArchive(tx: Transaction, actor: Actor, id: string): Promise<DeletedArchive> {
  const archive = z.uuid().safeParse(id).success
    ? await findRow<DeletedArchive>(
        tx,
        `SELECT a.project_id AS "projectId",
                ARRAY(SELECT DISTINCT e->>'sha256' FROM jsonb_array_elements(a.manifest->'entries') e WHERE e ? 'sha256') AS contents
           FROM archives a JOIN projects p ON p.id = a.project_id WHERE a.id = $1 AND ($2 OR p.owner_id = $3)`,
        [id, isAdmin(actor), actor.userId],
      )
    : null
  if (archive) return archive
  throw new GpuqError('not_found', 'You have no directory with this id. GET /api/storage lists yours.')
}

async function deleteUnnamedBlobs(
  tx: Transaction,
  { projectId, contents }: DeletedArchive,
): Promise<string[]> {
  const { rows } = await tx.query<{ hash: string }>(
    `WITH named AS MATERIALIZED (
       SELECT DISTINCT e->>'sha256' AS hash
         FROM archives a, jsonb_array_elements(a.manifest->'entries') e WHERE a.project_id = $1 AND e ? 'sha256')
     DELETE FROM archive_blobs b
      WHERE b.project_id = $1 AND encode(b.hash, 'hex') = ANY ($2::text[])
        AND NOT EXISTS (SELECT 1 FROM named WHERE named.hash = encode(b.hash, 'hex'))
      RETURNING encode(b.hash, 'hex') AS hash`,
    [projectId, contents],
  )
  return rows.map(({ hash }) => hash)
}

/** Under the lock, because the same content may have been uploaded again. The sweep removes what fails here. */
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
