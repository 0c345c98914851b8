import { retentionCutoffOf } from '../access/retention'
import type { Run } from '../cluster/tasks/tasks'
import { database } from '../database/client'
import { transaction } from '../database/transaction'
import type { ObjectStore } from '../storage/store'
import { checkpointKey, lockRun } from './checkpoint-files'

/**
 * A younger object without a row may belong to an upload in progress. The limit exceeds any upload time and clock
 * error.
 */
const orphanMs = 24 * 60 * 60_000
const keysAtOnce = 500

/**
 * Deletes expired checkpoints from the bucket: those of runs whose last job ended longer ago than the project's
 * retention, and objects without a row, which remain from interrupted uploads and from deleted runs and projects.
 */
export async function sweepCheckpoints(store: ObjectStore, now: Date): Promise<void> {
  for (const run of await expiredRuns()) await deleteRun(store, run)
  await removeOrphans(store, now)
}

/** SQL condition: the run `r` with the checkpoints `c` has no live job, and no job that ended within the project's retention. */
const expired = () => `c.stored_at < ${retentionCutoffOf('p')}
   AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.named_run_id = r.id
                      AND (j.ended_at IS NULL OR j.ended_at > ${retentionCutoffOf('p')}))`

type StoredRun = Pick<Run, 'id' | 'projectId' | 'directory'>

async function expiredRuns(): Promise<StoredRun[]> {
  const { rows } = await database().pool.query<StoredRun>(
    `SELECT r.id, r.project_id AS "projectId", r.directory
       FROM (SELECT run_id, max(stored_at) AS stored_at FROM checkpoint_files GROUP BY 1) c
       JOIN runs r ON r.id = c.run_id JOIN projects p ON p.id = r.project_id WHERE ${expired()}`,
  )
  return rows
}

/** Deletes all rows first, so that an attempt that starts now finds either all checkpoints or none. */
async function deleteRun(store: ObjectStore, run: StoredRun): Promise<void> {
  const objects = await transaction(async (tx) => {
    await lockRun(tx, run)
    const { rows } = await tx.query<{ object: string }>(
      `DELETE FROM checkpoint_files c USING runs r JOIN projects p ON p.id = r.project_id
        WHERE c.run_id = $1 AND r.id = c.run_id AND ${expired()} RETURNING c.object`,
      [run.id],
    )
    return rows.map(({ object }) => object)
  })
  for (const object of objects) await store.remove(checkpointKey(run, object))
}

const ownKey = /^checkpoints\/[0-9a-f-]{36}\/[^/]+\/([0-9a-f-]{36})$/

async function removeOrphans(store: ObjectStore, now: Date): Promise<void> {
  let held = new Map<string, string>()
  for await (const { key } of store.list('checkpoints')) {
    const object = ownKey.exec(key)?.[1]
    if (object === undefined || createdAt(object) > now.getTime() - orphanMs) continue
    held.set(object, key)
    if (held.size < keysAtOnce) continue
    await removeUnreferenced(store, held)
    held = new Map()
  }
  await removeUnreferenced(store, held)
}

/** An object without a row never gets one later, because a retry of the upload creates a new object. */
async function removeUnreferenced(store: ObjectStore, keys: ReadonlyMap<string, string>): Promise<void> {
  const { rows } = await database().pool.query<{ object: string }>(
    'SELECT object FROM checkpoint_files WHERE object = ANY ($1::uuid[])',
    [[...keys.keys()]],
  )
  const named = new Set(rows.map(({ object }) => object))
  for (const [object, key] of keys) if (!named.has(object)) await store.remove(key)
}

/** A UUIDv7 starts with its creation time in milliseconds since 1970. */
function createdAt(object: string): number {
  return Number.parseInt(object.replaceAll('-', '').slice(0, 12), 16)
}

/**
 * Returns the given directories of runs whose checkpoints on a shared disk are to be deleted: the last job of the run ended
 * before the project's retention, or their deletion was requested after its last job was submitted. Leaves out directories
 * that belong to no run. Without jobs, no retention begins.
 */
export async function expiredRunsOf(projectId: string, directories: readonly string[]): Promise<string[]> {
  const { rows } = await database().pool.query<{ directory: string }>(
    `SELECT r.directory FROM runs r JOIN projects p ON p.id = r.project_id
       LEFT JOIN jobs j ON j.named_run_id = r.id LEFT JOIN run_directories d ON d.run_id = r.id
      WHERE p.id = $1 AND r.directory = ANY ($2::text[])
      GROUP BY r.id, p.retention_days, d.delete_requested_at
     HAVING count(j.id) = count(j.ended_at)
        AND (max(j.ended_at) < ${retentionCutoffOf('p')}
             OR coalesce(max(j.created_at), '-infinity') < d.delete_requested_at)`,
    [projectId, directories],
  )
  return rows.map(({ directory }) => directory)
}
