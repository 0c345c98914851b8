import { uuidv7 } from 'uuidv7'
import { parseSnapshot } from '../../contract/archives/snapshot-name'
import { conflict, invalidField } from '../../contract/errors'
import { findRow, oneRow, type Transaction } from '../../database/transaction'
import type { CompetitionConfig, ScorerConfig } from '../contract-config'
import { maxVersions } from '../contract-limits'

interface Target {
  id: string
  projectId: string
}

/**
 * Adds the versions of datasets and of the scoring program that a request names. Versions are never changed or deleted, because
 * entries refer to them.
 * @param directories NAME@VERSION by name
 * @returns whether anything changed
 * @throws 422 for a snapshot that the project of the competition does not have.
 */
export async function writeDirectories(
  tx: Transaction,
  competition: Target,
  { datasets, scorer }: Pick<CompetitionConfig, 'datasets' | 'scorer'>,
  directories: Readonly<Record<string, string>>,
): Promise<boolean> {
  const unknown = Object.keys(directories).find((name) => name !== 'scorer' && !Object.hasOwn(datasets, name))
  if (unknown !== undefined)
    throw invalidField(`directories.${unknown}`, 'is neither a dataset of the file nor "scorer"')
  let changed = await writeRoles(tx, competition.id, datasets)
  let program: string | null = null
  for (const [name, reference] of Object.entries(directories)) {
    const snapshot = await findSnapshot(tx, competition.projectId, name, reference)
    const role = datasets[name]?.role
    if (role === undefined) program = snapshot.id
    else changed = (await addVersion(tx, competition.id, { name, role, ...snapshot })) || changed
  }
  return (await addScorer(tx, competition.id, program, scorer)) || changed
}

interface Version {
  id: string
  version: number
}

/** Finds a snapshot that cannot be deleted before the transaction ends. */
async function findSnapshot(
  tx: Transaction,
  projectId: string,
  name: string,
  reference: string,
): Promise<Version> {
  const path = `directories.${name}`
  const parsed = parseSnapshot(reference)
  if (parsed === null || parsed.name !== name || parsed.version === null)
    throw invalidField(path, `must be a version of the snapshot "${name}", such as ${name}@1`)
  const found = await findRow<Version>(
    tx,
    'SELECT id, version FROM snapshots WHERE project_id = $1 AND name = $2 AND version = $3 FOR KEY SHARE',
    [projectId, name, parsed.version],
  )
  if (found) return found
  throw invalidField(path, `the project of the competition has no snapshot ${reference}: push it first`)
}

/** The role says who may see a dataset now, so it belongs to all versions of the name. */
async function writeRoles(
  tx: Transaction,
  competitionId: string,
  datasets: CompetitionConfig['datasets'],
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE competition_datasets d SET role = n.role::"DatasetRole"
       FROM unnest($2::text[], $3::text[]) AS n (name, role)
      WHERE d.competition_id = $1 AND d.name = n.name AND d.role <> n.role::"DatasetRole"`,
    [competitionId, Object.keys(datasets), Object.values(datasets).map(({ role }) => role)],
  )
  return rowCount !== 0
}

async function addVersion(
  tx: Transaction,
  competitionId: string,
  { name, role, id, version }: Version & { name: string; role: string },
): Promise<boolean> {
  const { newest, full } = await oneRow<{ newest: number; full: boolean }>(
    tx,
    `SELECT coalesce(max(version) FILTER (WHERE name = $2), 0) AS newest, count(*) >= $3 AS full
       FROM competition_datasets WHERE competition_id = $1`,
    [competitionId, name, maxVersions],
  )
  if (newest === version) return false
  if (newest > version)
    throw invalidField(
      `directories.${name}`,
      `${name}@${newest} is in use, which is newer: push the directory again to return to its contents`,
    )
  if (full) throw conflict(`The competition has ${maxVersions} versions of datasets, which is the limit.`)
  await tx.query(
    `INSERT INTO competition_datasets (id, competition_id, name, role, version, snapshot_id)
     VALUES ($1, $2, $3, $4::"DatasetRole", $5, $6)`,
    [uuidv7(), competitionId, name, role, version, id],
  )
  return true
}

/** Adds a version of the scoring program if its directory or its part of the file differs from the newest one. */
async function addScorer(
  tx: Transaction,
  competitionId: string,
  snapshotId: string | null,
  spec: ScorerConfig,
): Promise<boolean> {
  const newest = await findRow<{ version: number; snapshotId: string; isSame: boolean }>(
    tx,
    `SELECT version, snapshot_id AS "snapshotId", spec = $2::jsonb AS "isSame" FROM competition_scorers
      WHERE competition_id = $1 ORDER BY version DESC LIMIT 1`,
    [competitionId, spec],
  )
  const program = snapshotId ?? newest?.snapshotId
  if (program === undefined || (newest?.isSame && newest.snapshotId === program)) return false
  const version = (newest?.version ?? 0) + 1
  if (version > maxVersions)
    throw conflict(`The competition has ${maxVersions} versions of its scoring program, which is the limit.`)
  await tx.query(
    'INSERT INTO competition_scorers (id, competition_id, version, snapshot_id, spec) VALUES ($1, $2, $3, $4, $5)',
    [uuidv7(), competitionId, version, program, spec],
  )
  return true
}
