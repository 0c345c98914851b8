import { database } from '../database/client'
import { acquireLockOf } from '../database/locks'
import { type Transaction, transaction } from '../database/transaction'
import type { ObjectStore } from '../storage/store'
import { blobKey } from './blob-key'

/** What no job uses is kept this long all the same: somebody may be about to submit one. */
const graceDays = 7
/** An object without a row may be of an upload that is under way: none takes so long, and no clock is so wrong. */
const orphanMs = 24 * 60 * 60_000
const keysAtOnce = 500

/**
 * Deletes directories that no job needs: those of ended jobs as many days after as their project keeps things, those
 * that no job ever had after a week. Then contents that no directory names, and what lies in the store and nobody knows.
 * What somebody ships meanwhile is kept; of what lay there unknown before and is shipped now, some may be asked for again.
 */
export async function sweepArchives(store: ObjectStore, now: Date): Promise<void> {
  await deleteUnused()
  for (const projectId of await projectsWithOldContents()) await deleteUnnamed(projectId)
  await removeUnknown(store, now)
}

const needed = `EXISTS (
  SELECT 1 FROM jobs j JOIN projects p ON p.id = j.project_id
   WHERE j.archive_id = a.id AND (j.ended_at IS NULL OR p.retention_days IS NULL
         OR j.ended_at > now() - make_interval(days => p.retention_days)))`

async function deleteUnused(): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      `SELECT a.id FROM archives a WHERE a.created_at < now() - make_interval(days => $1) AND NOT ${needed} FOR UPDATE`,
      [graceDays],
    )
    // A job that was accepted while the lock was waited for is seen by a statement of its own.
    await tx.query(`DELETE FROM archives a WHERE a.id = ANY ($1::uuid[]) AND NOT ${needed}`, [
      rows.map(({ id }) => id),
    ])
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
      `WITH named AS MATERIALIZED (
         SELECT DISTINCT decode(e->>'sha256', 'hex') AS hash
           FROM archives a, jsonb_array_elements(a.manifest->'entries') e WHERE a.project_id = $1 AND e ? 'sha256')
       DELETE FROM archive_blobs b
        WHERE b.project_id = $1 AND b.stored_at < now() - make_interval(days => $2)
          AND NOT EXISTS (SELECT 1 FROM named WHERE named.hash = b.hash)`,
      [projectId, graceDays],
    )
  })
}

/** Objects without a row: of contents just deleted, of uploads that died, of projects that are gone. */
async function removeUnknown(store: ObjectStore, now: Date): Promise<void> {
  const held = new Map<string, string[]>()
  for await (const { key, writtenAt } of store.list('blobs')) {
    if (writtenAt.getTime() > now.getTime() - orphanMs) continue
    const [, projectId = '', hash = ''] = key.split('/')
    const hashes = held.get(projectId) ?? []
    held.set(projectId, hashes)
    hashes.push(hash)
    if (hashes.length < keysAtOnce) continue
    held.delete(projectId)
    await removeUnknownOf(store, projectId, hashes)
  }
  for (const [projectId, hashes] of held) await removeUnknownOf(store, projectId, hashes)
}

async function removeUnknownOf(store: ObjectStore, projectId: string, hashes: string[]): Promise<void> {
  const suspects = await unknownAmong(database().pool, projectId, hashes)
  if (suspects.length === 0) return
  await transaction(async (tx) => {
    await acquireLockOf(tx, 'archiveContents', projectId)
    for (const hash of await unknownAmong(tx, projectId, suspects))
      await store.remove(blobKey(projectId, hash))
  })
}

async function unknownAmong(executor: Transaction, projectId: string, hashes: string[]): Promise<string[]> {
  const { rows } = await executor.query<{ hash: string }>(
    `SELECT hash FROM unnest($2::text[]) AS found (hash)
      WHERE NOT EXISTS (SELECT 1 FROM archive_blobs b WHERE b.project_id::text = $1 AND encode(b.hash, 'hex') = found.hash)`,
    [projectId, hashes],
  )
  return rows.map(({ hash }) => hash)
}
