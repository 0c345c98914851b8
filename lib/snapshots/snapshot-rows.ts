import { z } from 'zod'
import { type Actor, isAdmin } from '../access/actor'
import { mayPushSnapshots, type ProjectRow, visibleProject } from '../access/projects/project-rows'
import { forbidden, type GpuqError, notFound } from '../contract/errors'
import { datesToText, type WithDates } from '../database/dates'
import { findRow, type Transaction } from '../database/transaction'
import { refusePush, type Snapshot } from './contract'

type SnapshotTimes = 'created_at' | 'shared_at'

/** A snapshot row with {@link snapshotColumns}. */
export type SnapshotRow = WithDates<Snapshot, SnapshotTimes>

/** SQL for the columns of a snapshot. `own` is a condition; who made a snapshot is visible only if it holds. */
export const snapshotColumns = (own: string) => `s.id, s.name, s.version, p.slug AS project_id, ${own} AS own,
  encode(a.hash, 'hex') AS archive, a.files, a.bytes, CASE WHEN ${own} THEN u.handle END AS created_by,
  CASE WHEN ${own} THEN u.name END AS created_by_name, s.created_at, s.shared_at`

export const snapshotSource = `snapshots s JOIN archives a ON a.id = s.archive_id
  JOIN projects p ON p.id = s.project_id LEFT JOIN users u ON u.id = s.created_by_id`

export const toSnapshot = (row: SnapshotRow): Snapshot => datesToText(row)

/** A snapshot with what a change of it needs. */
interface VisibleSnapshot extends SnapshotRow {
  archiveId: string
  projectId: string
  ownerId: string
  owner: string
  creatorId: string | null
}

/** Finds a snapshot of a project that the actor may see, or one that is shared with everyone. @throws 404 */
export async function findVisibleSnapshot(
  executor: Transaction,
  actor: Actor,
  id: string,
): Promise<VisibleSnapshot> {
  const visible = visibleProject('$2', '$3')
  const row = z.uuid().safeParse(id).success
    ? await findRow<VisibleSnapshot>(
        executor,
        `SELECT ${snapshotColumns(visible)}, s.archive_id AS "archiveId", s.project_id AS "projectId",
                p.owner_id AS "ownerId", o.handle AS owner, s.created_by_id AS "creatorId"
           FROM ${snapshotSource} JOIN users o ON o.id = p.owner_id
          WHERE s.id = $1 AND (s.shared_at IS NOT NULL OR ${visible})`,
        [id, isAdmin(actor), actor.userId],
      )
    : null
  if (row) return row
  throw noSuchSnapshot()
}

export function noSuchSnapshot(): GpuqError {
  return notFound(
    'There is no snapshot with this id. GET /api/projects/ID/snapshots lists those of a project.',
  )
}

/** @throws 403 unless the actor may push and delete snapshots of a project. */
export function requireMayPush(actor: Actor, project: ProjectRow): void {
  if (!mayPushSnapshots(actor, project)) throw forbidden(refusePush({ ...project, project_id: project.slug }))
}
