import type { NamedDirectory } from '../../archives/named-directory'
import { formatSnapshot } from '../../contract/archives/snapshot-name'
import type { JobConfig } from '../../contract/config/config'
import { overlaps } from '../../contract/config/working-directory'
import { type GpuqError, invalidField } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'
import { findNamedDirectory } from './submission-archive'

/** A mount of a config, with the version that its snapshot means now. */
export interface ResolvedMount extends Pick<NamedDirectory, 'snapshotId' | 'name' | 'version' | 'hash'> {
  path: string
}

/**
 * Finds the snapshots of a config. None of them can be deleted before the transaction ends.
 * @throws 422 for a snapshot that the project cannot use, with similar names.
 */
export async function resolveMounts(
  tx: Transaction,
  projectId: string,
  { mounts, project_id: slug }: Pick<JobConfig, 'mounts' | 'project_id'>,
): Promise<ResolvedMount[]> {
  const resolved: ResolvedMount[] = []
  for (const [path, reference] of Object.entries(mounts).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const found = await findNamedDirectory(tx, { id: projectId, slug }, reference)
    if ('problem' in found) throw refuse(path, found.problem)
    const { snapshotId, name, version, hash } = found
    resolved.push({ path, snapshotId, name, version, hash })
  }
  return resolved
}

/** The mounts of a config, each with its version. */
export function referencesOf(mounts: readonly ResolvedMount[]): Record<string, string> {
  return Object.fromEntries(mounts.map((mount) => [mount.path, formatSnapshot(mount)]))
}

/** @throws 422 if two of these are inside each other: a mount, the shared directory of the project, the working directory. */
export function requireApart(
  mounts: readonly ResolvedMount[],
  workspace: string | null,
  workingDirectory: string | undefined,
): void {
  if (workspace !== null && workingDirectory !== undefined && overlaps(workingDirectory, workspace)) {
    const message = `the job sees the shared directory ${workspace} at this path: remove this key, and the archive`
    throw invalidField('working_directory', message)
  }
  for (const { path } of mounts) {
    if (workspace !== null && overlaps(path, workspace)) {
      const message = `the job works in the shared directory ${workspace}: mount the snapshot at a path outside it, such as /data`
      throw refuse(path, message)
    }
    if (workingDirectory !== undefined && overlaps(path, workingDirectory)) {
      const message = `the job works in ${workingDirectory}: mount the snapshot at a path outside it, such as /data`
      throw refuse(path, message)
    }
  }
}

/** Records what a job mounts. A later version of a snapshot then changes nothing. */
export async function insertMounts(
  tx: Transaction,
  jobId: string,
  mounts: readonly ResolvedMount[],
): Promise<void> {
  if (mounts.length === 0) return
  await tx.query({
    name: 'insert-mounts',
    text: `INSERT INTO job_mounts (job_id, path, snapshot_id, name, version, hash)
           SELECT $1, path, snapshot_id, name, version, decode(hash, 'hex')
             FROM unnest($2::text[], $3::uuid[], $4::text[], $5::int[], $6::text[]) AS m (path, snapshot_id, name, version, hash)`,
    values: [
      jobId,
      mounts.map(({ path }) => path),
      mounts.map(({ snapshotId }) => snapshotId),
      mounts.map(({ name }) => name),
      mounts.map(({ version }) => version),
      mounts.map(({ hash }) => hash),
    ],
  })
}

function refuse(path: string, message: string): GpuqError {
  return invalidField('mounts', `${path}: ${message}`)
}
