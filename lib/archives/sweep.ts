import { database } from '../database/client'
import { acquireLockOf } from '../database/locks'
import { type Transaction, transaction } from '../database/transaction'
import type { ObjectStore } from '../storage/store'
import { archiveNeeded, hasSnapshot, neededBy } from './archive-use'
import { blobKey } from './blob-key'
import { isUnnamed, namedContents } from './delete-archive'

/** Unused directories are kept this many days, because a job may be submitted soon. */
const graceDays = 7
/**
 * A younger object without a row may belong to an upload in progress. The limit exceeds any upload time and clock
 * error.
 */
const orphanMs = 24 * 60 * 60_000
const keysPerQuery = 500

/**
 * Deletes directories that have no name and that no job needs: those of ended jobs after the project's retention, and
 * those without any job after a week. What one user no longer needs they lose, even if another user needs the same. Then
 * deletes contents that no directory uses, and objects without a row. Keeps everything that is uploaded concurrently;
 * clients may have to send some previously unknown objects again.
 */
export async function sweepArchives(store: ObjectStore, now: Date): Promise<void> {
  await deleteUnused()
  await endUnusedHoldings()
  for (const projectId of await projectsWithOldContents()) await deleteUnnamed(projectId)
  await removeOrphans(store, now)
}

async function deleteUnused(): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      `SELECT a.id FROM archives a WHERE a.created_at < now() - make_interval(days => $1) AND NOT ${archiveNeeded()} FOR UPDATE`,
      [graceDays],
    )
    // A separate statement, so that it sees jobs and snapshots that came while this transaction waited for the lock.
    await tx.query(`DELETE FROM archives a WHERE a.id = ANY ($1::uuid[]) AND NOT ${archiveNeeded()}`, [
      rows.map(({ id }) => id),
    ])
  })
}

/**
 * SQL condition: the holder `h` no longer needs the archive `a`, which another holder keeps. Without another one the archive stays
 * with its last holder as long as anybody needs it, so that its contents stay too.
 */
const holdingEnded = () => `h.held_at < now() - make_interval(days => $1)
  AND NOT ${hasSnapshot} AND NOT ${neededBy('h.user_id')}
  AND EXISTS (SELECT 1 FROM archive_holders o WHERE o.archive_id = a.id AND o.user_id <> h.user_id
                AND (o.held_at >= now() - make_interval(days => $1) OR ${neededBy('o.user_id')}))`

/**
 * Ends the holdings of users who no longer need a directory that others need, as if it was deleted. Otherwise an upload of the
 * same directory would tell that others have it.
 */
async function endUnusedHoldings(): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      `SELECT a.id FROM archives a WHERE EXISTS (
         SELECT 1 FROM archive_holders h WHERE h.archive_id = a.id AND ${holdingEnded()}) ORDER BY a.id FOR UPDATE`,
      [graceDays],
    )
    // A separate statement, so that it sees jobs and snapshots that came while this transaction waited for the lock.
    await tx.query(
      `WITH ended AS (
         DELETE FROM archive_holders h USING archives a
          WHERE a.id = h.archive_id AND a.id = ANY ($2::uuid[]) AND ${holdingEnded()}
         RETURNING h.archive_id, h.user_id)
       UPDATE jobs j SET archive_id = NULL FROM ended
        WHERE j.archive_id = ended.archive_id AND j.user_id = ended.user_id`,
      [graceDays, rows.map(({ id }) => id)],
    )
  })
}

async function projectsWithOldContents(): Promise<string[]> {
  const { rows } = await database().pool.query<{ project_id: string }>(
    'SELECT DISTINCT project_id FROM archive_blobs WHERE stored_at < now() - make_interval(days => $1)',
    [graceDays],
  )
  return rows.map(({ project_id }) => project_id)
}

async function deleteUnnamed(projectId: string): Promise<void> {
  await transaction(async (tx) => {
    await acquireLockOf(tx, 'archiveContents', projectId)
    await tx.query(
      `WITH ${namedContents('true')}
       DELETE FROM archive_blobs b
        WHERE b.project_id = $1 AND b.stored_at < now() - make_interval(days => $2) AND ${isUnnamed}`,
      [projectId, graceDays],
    )
  })
}

/** Removes objects without a row: of contents just deleted, of dead uploads, and of deleted projects. */
async function removeOrphans(store: ObjectStore, now: Date): Promise<void> {
  const held = new Map<string, string[]>()
  for await (const { key, writtenAt } of store.list('blobs')) {
    if (writtenAt.getTime() > now.getTime() - orphanMs) continue
    const [, projectId = '', hash = ''] = key.split('/')
    const hashes = held.get(projectId) ?? []
    held.set(projectId, hashes)
    hashes.push(hash)
    if (hashes.length < keysPerQuery) continue
    held.delete(projectId)
    await removeOrphansOf(store, projectId, hashes)
  }
  for (const [projectId, hashes] of held) await removeOrphansOf(store, projectId, hashes)
}

async function removeOrphansOf(store: ObjectStore, projectId: string, hashes: string[]): Promise<void> {
  const suspects = await findOrphans(database().pool, projectId, hashes)
  if (suspects.length === 0) return
  await transaction(async (tx) => {
    await acquireLockOf(tx, 'archiveContents', projectId)
    for (const hash of await findOrphans(tx, projectId, suspects))
      await store.remove(blobKey(projectId, hash))
  })
}

async function findOrphans(executor: Transaction, projectId: string, hashes: string[]): Promise<string[]> {
  const { rows } = await executor.query<{ hash: string }>(
    `SELECT hash FROM unnest($2::text[]) AS found (hash)
      WHERE NOT EXISTS (SELECT 1 FROM archive_blobs b WHERE b.project_id::text = $1 AND encode(b.hash, 'hex') = found.hash)`,
    [projectId, hashes],
  )
  return rows.map(({ hash }) => hash)
}
