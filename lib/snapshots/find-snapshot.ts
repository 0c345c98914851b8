import type { FindNamedDirectory, NamedDirectory } from '../archives/named-directory'
import { formatSnapshot, parseSnapshot } from '../contract/archives/snapshot-name'
import { findRow, type Transaction } from '../database/transaction'
import { nearNames } from './near-names'

/**
 * SQL condition: the project `project` may use the snapshot `s`. A name in the own project hides the shared one, also
 * with a version that only the shared one has: `data@2` never changes its meaning because a version was deleted.
 */
export const usableSnapshot = (project: string) => `(s.project_id = ${project}
  OR s.shared_at IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM snapshots own WHERE own.project_id = ${project} AND own.name = s.name))`

/**
 * Finds the snapshot that `name` (the newest version) or `name@version` means in a project: its own, otherwise one
 * that is shared with everyone. Neither the snapshot nor its archive can be deleted before the transaction ends. Returns
 * null if there is none.
 */
export async function findSnapshot(
  tx: Transaction,
  projectId: string,
  reference: string,
): Promise<NamedDirectory | null> {
  const parsed = parseSnapshot(reference)
  if (!parsed) return null
  const find = () =>
    findRow<NamedDirectory>(tx, {
      name: 'find-snapshot',
      text: `SELECT s.id AS "snapshotId", s.name, s.version, a.id AS "archiveId",
                    encode(a.hash, 'hex') AS hash, a.files, a.bytes
               FROM snapshots s JOIN archives a ON a.id = s.archive_id
              WHERE s.name = $2 AND ($3::int IS NULL OR s.version = $3) AND ${usableSnapshot('$1')}
              ORDER BY s.version DESC LIMIT 1 FOR KEY SHARE OF s, a`,
      values: [projectId, parsed.name, parsed.version],
    })
  // If a version was deleted while the first query waited for its lock, the second one finds the version before it.
  return (await find()) ?? (await find())
}

/** Finds the directory of a snapshot as {@link findSnapshot} does, or says which snapshots the user may have meant. */
export const findSnapshotDirectory: FindNamedDirectory = async (tx, project, reference) =>
  (await findSnapshot(tx, project.id, reference)) ?? {
    problem: await describeMissingSnapshot(tx, project, reference),
  }

/** How many names and versions a message lists. */
const mostNamed = 10

/** Says which snapshot a project does not have, and which ones the user may have meant. */
export async function describeMissingSnapshot(
  tx: Transaction,
  project: { id: string; slug: string },
  reference: string,
): Promise<string> {
  const { name = reference, version = null } = parseSnapshot(reference) ?? {}
  const { rows } = await tx.query<{ name: string; versions: number[] }>(
    `SELECT s.name, array_agg(s.version ORDER BY s.version DESC) AS versions FROM snapshots s
      WHERE ${usableSnapshot('$1')} GROUP BY s.name ORDER BY s.name`,
    [project.id],
  )
  const missing = `the project "${project.slug}" has no snapshot ${formatSnapshot({ name, version })}`
  const same = rows.find((row) => row.name === name)
  if (same) return `${missing}. ${name} has ${describeVersions(same.versions)}`
  const names = rows.map((row) => row.name)
  const near = nearNames(name, names)
  if (near.length > 0) return `${missing}. Did you mean ${near.join(' or ')}?`
  const push = `make one with "gpuq push DIR --name ${name} --project ${project.slug}"`
  if (names.length === 0) return `${missing}, and no other: ${push}`
  const rest = names.length - mostNamed
  return `${missing}. It has ${names.slice(0, mostNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}, or ${push}`
}

function describeVersions(versions: readonly number[]): string {
  const shown = versions.slice(0, mostNamed).join(', ')
  if (versions.length === 1) return `only the version ${shown}`
  return `the versions ${shown}${versions.length > mostNamed ? ' and older ones' : ''}`
}
