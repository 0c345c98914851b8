import type { z } from 'zod'
import type { Actor } from '../access/actor'
import { findVisible } from '../access/projects/projects'
import { maxVersion } from '../contract/archives/snapshot-name'
import { database } from '../database/client'
import { cutPage, decodeCursor, type Page, wrongCursor } from '../database/pagination'
import type { listSnapshotsSchema, listVersionsSchema, NamedSnapshot, Snapshot } from './contract'
import { usableSnapshot } from './find-snapshot'
import { type SnapshotRow, snapshotColumns, snapshotSource, toSnapshot } from './snapshot-rows'

/**
 * Lists the newest version under each name that a project may use: its own and those that are shared with everyone.
 * @throws 404 if the actor may not see the project.
 */
export async function listSnapshots(
  actor: Actor,
  projectId: string,
  { cursor, limit }: z.output<typeof listSnapshotsSchema>,
): Promise<Page<NamedSnapshot>> {
  const { pool } = database()
  await findVisible(pool, actor, projectId)
  const [after] = cursor === undefined ? [null] : decodeCursor(cursor, 1)
  const { rows } = await pool.query<SnapshotRow & { versions: number }>(
    `SELECT ${snapshotColumns('s.project_id = $1')}, newest.versions
       FROM (SELECT DISTINCT ON (s.name) s.id, count(*) OVER (PARTITION BY s.name)::int AS versions
               FROM snapshots s WHERE ${usableSnapshot('$1')} AND ($2::text IS NULL OR s.name COLLATE "C" > $2)
              ORDER BY s.name, s.version DESC) newest,
            ${snapshotSource}
      WHERE s.id = newest.id ORDER BY s.name COLLATE "C" LIMIT $3`,
    [projectId, after, limit + 1],
  )
  return cutPage(
    rows,
    limit,
    ({ name }) => [name],
    ({ versions, ...row }) => ({ ...toSnapshot(row), versions }),
  )
}

/**
 * Lists the versions under a name that a project may use, newest first.
 * @throws 404 if the actor may not see the project.
 */
export async function listVersions(
  actor: Actor,
  projectId: string,
  { name, version, cursor, limit }: z.output<typeof listVersionsSchema>,
): Promise<Page<Snapshot>> {
  const { pool } = database()
  await findVisible(pool, actor, projectId)
  const [before] = cursor === undefined ? [null] : decodeVersion(cursor)
  const { rows } = await pool.query<SnapshotRow>(
    `SELECT ${snapshotColumns('s.project_id = $1')} FROM ${snapshotSource}
      WHERE s.name = $2 AND ($3::int IS NULL OR s.version = $3) AND ${usableSnapshot('$1')}
        AND ($4::int IS NULL OR s.version < $4)
      ORDER BY s.version DESC LIMIT $5`,
    [projectId, name, version, before, limit + 1],
  )
  return cutPage(rows, limit, (row) => [String(row.version)], toSnapshot)
}

function decodeVersion(cursor: string): [number] {
  const [version] = decodeCursor(cursor, 1).map(Number)
  if (version === undefined || !Number.isInteger(version) || version < 1 || version > maxVersion)
    throw wrongCursor()
  return [version]
}
