import { formatSnapshot, parseSnapshot } from '../../contract/archives/snapshot-name'
import type { Transaction } from '../../database/transaction'
import { usableSnapshot } from './find-snapshot'
import { nearNames } from './near-names'

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
