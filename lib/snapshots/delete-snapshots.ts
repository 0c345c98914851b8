import { type Actor, isAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import type { ProjectRow } from '../access/projects/project-rows'
import { findVisible } from '../access/projects/projects'
import { archiveNeeded, hasSnapshot } from '../archives/archive-use'
import { removeArchives, removeBlobs } from '../archives/delete-archive'
import { formatSnapshot } from '../contract/archives/snapshot-name'
import { conflict, forbidden, notFound } from '../contract/errors'
import { acquireLockOf } from '../database/locks'
import { findRow, type Transaction, transaction } from '../database/transaction'
import { findVisibleSnapshot, noSuchSnapshot, requireMayPush } from './snapshot-rows'

/**
 * Deletes one version. Its directory is deleted as well if nothing else needs it: a job that was accepted with it keeps
 * the directory until its own files expire.
 * @throws 404 if the actor may not see it, 403 unless the actor made it and may push, owns the project or is an admin, 409 while it
 * is shared with everyone or a job that has not ended mounts it.
 */
export async function deleteSnapshot(actor: Actor, id: string): Promise<void> {
  const removed = await transaction(async (tx) => {
    const { own, projectId } = await findVisibleSnapshot(tx, actor, id)
    // Others may use a shared snapshot, but it is not theirs.
    if (!own) throw noSuchSnapshot()
    return deleteRows(tx, actor, await findVisible(tx, actor, projectId), { id, name: null })
  })
  await removeBlobs(removed.projectId, removed.hashes)
}

/**
 * Deletes all versions under a name. A later push continues with the next number.
 * @throws as {@link deleteSnapshot}; nothing is deleted then.
 */
export async function deleteVersions(actor: Actor, projectId: string, name: string): Promise<void> {
  const removed = await transaction(async (tx) => {
    return deleteRows(tx, actor, await findVisible(tx, actor, projectId), { id: null, name })
  })
  await removeBlobs(removed.projectId, removed.hashes)
}

interface Row {
  id: string
  name: string
  version: number
  archiveId: string
  creatorId: string | null
  shared: boolean
}

async function deleteRows(
  tx: Transaction,
  actor: Actor,
  project: ProjectRow,
  { id, name }: { id: string | null; name: string | null },
): Promise<{ projectId: string; hashes: string[] }> {
  const { id: projectId, owner_id: ownerId } = project
  await acquireLockOf(tx, 'archiveContents', projectId)
  // Waits for submissions that use them, and blocks new ones.
  const { rows } = await tx.query<Row>(
    `SELECT id, name, version, archive_id AS "archiveId", created_by_id AS "creatorId", shared_at IS NOT NULL AS shared
       FROM snapshots WHERE project_id = $1 AND (id = $2 OR name = $3) ORDER BY version FOR UPDATE`,
    [projectId, id, name],
  )
  if (rows.length === 0) throw name === null ? noSuchSnapshot() : noSuchName(name)
  const mayDelete = (row: Row) => row.creatorId === actor.userId || ownerId === actor.userId || isAdmin(actor)
  const foreign = rows.find((row) => !mayDelete(row))
  if (foreign) {
    throw forbidden(
      `Another member made ${formatSnapshot(foreign)}. Only that member, the owner of the project and admins may delete it.`,
    )
  }
  requireMayPush(actor, project)
  const shared = rows.find((row) => row.shared)
  if (shared) {
    throw conflict(
      `${formatSnapshot(shared)} is shared with everyone, so other projects may use it. An admin must stop sharing it first.`,
    )
  }
  await requireUnmounted(tx, rows)
  await requireOutOfCompetitions(tx, rows)
  await tx.query('DELETE FROM snapshots WHERE id = ANY ($1::uuid[])', [rows.map((row) => row.id)])
  for (const row of rows) {
    const target = `${project.owner}/${project.slug}/${formatSnapshot(row)}`
    await recordAudit(tx, { actorId: actor.userId, action: 'snapshot_deleted', target })
  }
  await hideContents(tx, projectId, rows)
  return { projectId, hashes: await removeUnneeded(tx, projectId, rows) }
}

/** A separate statement, so that it sees jobs accepted while this transaction waited for the lock. */
async function requireUnmounted(tx: Transaction, rows: readonly Row[]): Promise<void> {
  const { rows: mounted } = await tx.query<{ id: string }>(
    `SELECT m.snapshot_id AS id FROM job_mounts m JOIN jobs j ON j.id = m.job_id
      WHERE m.snapshot_id = ANY ($1::uuid[]) AND j.ended_at IS NULL`,
    [rows.map(({ id }) => id)],
  )
  const used = rows.find(({ id }) => mounted.some((mount) => mount.id === id))
  if (!used) return
  throw conflict(
    `A job that has not ended mounts ${formatSnapshot(used)}. Cancel the job, or wait for its end.`,
  )
}

/** @throws 409 if a competition has one of these as a dataset or as its scoring program: its entries refer to them. */
async function requireOutOfCompetitions(tx: Transaction, rows: readonly Row[]): Promise<void> {
  const used = await findRow<{ id: string; slug: string }>(
    tx,
    `SELECT v.snapshot_id AS id, c.slug
       FROM (SELECT snapshot_id, competition_id FROM competition_datasets
              UNION ALL SELECT snapshot_id, competition_id FROM competition_scorers) v JOIN competitions c ON c.id = v.competition_id
      WHERE v.snapshot_id = ANY ($1::uuid[]) LIMIT 1`,
    [rows.map(({ id }) => id)],
  )
  const row = rows.find(({ id }) => id === used?.id)
  if (row)
    throw conflict(
      `The competition "${used?.slug}" has ${formatSnapshot(row)}, and its entries refer to it. It is kept as long as the competition.`,
    )
}

/** Contents that are in no other snapshot of the project belong to the users who sent them again. */
async function hideContents(tx: Transaction, projectId: string, rows: readonly Row[]): Promise<void> {
  await tx.query(
    `WITH shown AS MATERIALIZED (
       SELECT DISTINCT e->>'sha256' AS hash FROM archives a CROSS JOIN jsonb_array_elements(a.manifest->'entries') e
        WHERE a.project_id = $1 AND e ? 'sha256' AND ${hasSnapshot}),
          hidden AS MATERIALIZED (
       SELECT DISTINCT e->>'sha256' AS hash FROM archives a CROSS JOIN jsonb_array_elements(a.manifest->'entries') e
        WHERE a.id = ANY ($2::uuid[]) AND e ? 'sha256'
       EXCEPT SELECT hash FROM shown)
     UPDATE archive_blobs b SET in_snapshot = false
       FROM hidden WHERE b.project_id = $1 AND b.hash = decode(hidden.hash, 'hex') AND b.in_snapshot`,
    [projectId, [...new Set(rows.map(({ archiveId }) => archiveId))]],
  )
}

const noSuchName = (name: string) =>
  notFound(
    `The project has no snapshot "${name}" of its own. GET /api/projects/ID/snapshots lists its snapshots.`,
  )

/** Deletes the directories that neither a snapshot nor a job needs. Returns the hashes of the deleted contents. */
async function removeUnneeded(tx: Transaction, projectId: string, rows: readonly Row[]): Promise<string[]> {
  const ids = [...new Set(rows.map(({ archiveId }) => archiveId))]
  await tx.query('SELECT 1 FROM archives WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE', [ids])
  // A separate statement, so that it sees jobs accepted while this transaction waited for the lock.
  const { rows: unneeded } = await tx.query<{ id: string }>(
    `SELECT a.id FROM archives a WHERE a.id = ANY ($1::uuid[]) AND NOT ${archiveNeeded()}`,
    [ids],
  )
  const archives = unneeded.map((archive) => archive.id)
  return archives.length === 0 ? [] : removeArchives(tx, projectId, archives)
}
