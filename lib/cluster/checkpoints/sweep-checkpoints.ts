import { retentionCutoffOf } from '../../access/retention'
import { database } from '../../database/client'
import { transaction } from '../../database/transaction'
import type { ObjectStore } from '../../storage/store'
import { checkpointKey, lockRun, type Run } from './checkpoint-files'

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

/** SQL condition: the run of `c` has no live job, and no job that ended within the project's retention. */
const expired = () => `c.stored_at < ${retentionCutoffOf('p')}
   AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.project_id = c.project_id AND j.run_name = c.run_name
                      AND (j.ended_at IS NULL OR j.ended_at > ${retentionCutoffOf('p')}))`

async function expiredRuns(): Promise<Run[]> {
  const { rows } = await database().pool.query<Run>(
    `SELECT c.project_id AS "projectId", c.run_name AS name
       FROM (SELECT project_id, run_name, max(stored_at) AS stored_at FROM checkpoint_files GROUP BY 1, 2) c
       JOIN projects p ON p.id = c.project_id WHERE ${expired()}`,
  )
  return rows
}

/** Deletes all rows first, so that an attempt that starts now finds either all checkpoints or none. */
async function deleteRun(store: ObjectStore, run: Run): Promise<void> {
  const objects = await transaction(async (tx) => {
    await lockRun(tx, run)
    const { rows } = await tx.query<{ object: string }>(
      `DELETE FROM checkpoint_files c USING projects p
        WHERE c.project_id = $1 AND c.run_name = $2 AND p.id = c.project_id AND ${expired()} RETURNING c.object`,
      [run.projectId, run.name],
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
 * Returns the given runs whose checkpoints on a shared disk are to be deleted: their last job ended before the
 * project's retention, or their deletion was requested after their last job was submitted. Leaves out names that no
 * job had.
 */
export async function expiredRunsOf(projectId: string, names: readonly string[]): Promise<string[]> {
  const { rows } = await database().pool.query<{ name: string }>(
    `SELECT j.run_name AS name FROM jobs j JOIN projects p ON p.id = j.project_id
       LEFT JOIN run_directories d ON d.project_id = p.id AND d.run_name = j.run_name
      WHERE p.id = $1 AND j.run_name = ANY ($2::text[])
      GROUP BY j.run_name, p.retention_days, d.delete_requested_at
     HAVING bool_and(j.ended_at IS NOT NULL)
        AND (max(j.ended_at) < ${retentionCutoffOf('p')} OR max(j.created_at) < d.delete_requested_at)`,
    [projectId, names],
  )
  return rows.map(({ name }) => name)
}
