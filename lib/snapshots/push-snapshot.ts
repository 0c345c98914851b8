import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import type { Actor } from '../access/actor'
import { recordAudit } from '../access/audit'
import { findVisible } from '../access/projects/projects'
import { heldBy } from '../archives/archive-use'
import { conflict, invalidField } from '../contract/errors'
import { acquireLockOf } from '../database/locks'
import { findRow, oneRow, type Transaction, transaction } from '../database/transaction'
import { env } from '../env'
import type { createSnapshotSchema, PushedSnapshot } from './contract'
import {
  requireMayPush,
  type SnapshotRow,
  snapshotColumns,
  snapshotSource,
  toSnapshot,
} from './snapshot-rows'

/**
 * Makes the next version of a snapshot from a directory that the actor has uploaded to the project, or from another snapshot of
 * it. Makes none if the newest version has the same content. Every member may read the contents from now on.
 * @throws 404 if the actor may not see the project, 403 without the right to push, 422 if the actor does not have the directory, 409 if it has too many
 * snapshots.
 */
export function pushSnapshot(
  actor: Actor,
  projectId: string,
  { name, archive }: z.output<typeof createSnapshotSchema>,
): Promise<PushedSnapshot> {
  return transaction(async (tx) => {
    const project = await findVisible(tx, actor, projectId)
    requireMayPush(actor, project)
    const { owner, slug } = project
    // Pushes and deletions of a project's snapshots happen one after the other: each sees which contents are in a snapshot, and
    // how many snapshots there are. Jobs do not wait for this lock.
    await acquireLockOf(tx, 'archiveContents', projectId)
    const archiveId = await lockArchive(tx, actor, { projectId, slug, hash: archive })
    const newest = await findRow<{ id: string; archive_id: string }>(
      tx,
      'SELECT id, archive_id FROM snapshots WHERE project_id = $1 AND name = $2 ORDER BY version DESC LIMIT 1',
      [projectId, name],
    )
    const created = newest?.archive_id !== archiveId
    if (created) await showContents(tx, projectId, archiveId)
    const id = created ? await insertSnapshot(tx, actor, { projectId, name, archiveId }) : newest.id
    const select = `SELECT ${snapshotColumns('true')} FROM ${snapshotSource} WHERE s.id = $1`
    const snapshot = toSnapshot(await oneRow<SnapshotRow>(tx, select, [id]))
    if (created) {
      const target = `${owner}/${slug}/${name}@${snapshot.version}`
      await recordAudit(tx, {
        actorId: actor.userId,
        action: 'snapshot_created',
        target,
        detail: { archive },
      })
    }
    return { ...snapshot, created }
  })
}

/** The lock prevents its deletion until the snapshot exists. */
async function lockArchive(
  tx: Transaction,
  { userId }: Actor,
  { projectId, slug, hash }: { projectId: string; slug: string; hash: string },
): Promise<string> {
  const found = await findRow<{ id: string }>(
    tx,
    `SELECT a.id FROM archives a WHERE a.project_id = $1 AND a.hash = $2 AND ${heldBy('$3')} FOR KEY SHARE OF a`,
    [projectId, Buffer.from(hash, 'hex'), [userId]],
  )
  if (found) return found.id
  throw invalidField(
    'archive',
    `the project "${slug}" does not have this directory from you, or not completely: upload it with POST /api/archives first`,
  )
}

/** Lets every member of the project use the contents of an archive. Another snapshot may have done so. */
async function showContents(tx: Transaction, projectId: string, archiveId: string): Promise<void> {
  await tx.query(
    `UPDATE archive_blobs b SET in_snapshot = true
       FROM (SELECT DISTINCT h.user_id, decode(e->>'sha256', 'hex') AS hash
               FROM archives a JOIN archive_holders h ON h.archive_id = a.id
              CROSS JOIN jsonb_array_elements(a.manifest->'entries') e WHERE a.id = $2 AND e ? 'sha256') shown
      WHERE b.project_id = $1 AND b.hash = shown.hash AND b.user_id = shown.user_id AND NOT b.in_snapshot`,
    [projectId, archiveId],
  )
}

async function insertSnapshot(
  tx: Transaction,
  actor: Actor,
  { projectId, name, archiveId }: { projectId: string; name: string; archiveId: string },
): Promise<string> {
  const { full } = await oneRow<{ full: boolean }>(
    tx,
    'SELECT count(*) >= $2 AS full FROM snapshots WHERE project_id = $1',
    [projectId, env().GPUQ_MAX_SNAPSHOTS],
  )
  if (full) {
    throw conflict(
      `The project has ${env().GPUQ_MAX_SNAPSHOTS} snapshots, which is the limit. Delete old versions, or ask an admin to raise GPUQ_MAX_SNAPSHOTS.`,
    )
  }
  await requireSnapshotName(tx, projectId, name)
  const id = uuidv7()
  await tx.query(
    `WITH next AS (
       INSERT INTO snapshot_names (project_id, name, last_version) VALUES ($2, $3, 1)
       ON CONFLICT (project_id, name) DO UPDATE SET last_version = snapshot_names.last_version + 1
       RETURNING last_version)
     INSERT INTO snapshots (id, project_id, name, version, archive_id, created_by_id)
     SELECT $1, $2, $3, last_version, $4, $5 FROM next`,
    [id, projectId, name, archiveId, actor.userId],
  )
  return id
}

/** Names that a project has ever used. They are kept after the deletion of their snapshots, so the limit above does not hold them. */
const maxSnapshotNames = 10_000

/** @throws 409 for a new name if the project has used too many. */
async function requireSnapshotName(tx: Transaction, projectId: string, name: string): Promise<void> {
  const { full } = await oneRow<{ full: boolean }>(
    tx,
    `SELECT count(*) >= $3 AND bool_and(name <> $2) AS full FROM snapshot_names WHERE project_id = $1`,
    [projectId, name, maxSnapshotNames],
  )
  if (!full) return
  throw conflict(
    `The project has used ${maxSnapshotNames} names of snapshots, which is the limit, also for names of deleted ones. Use one of these names again.`,
  )
}
