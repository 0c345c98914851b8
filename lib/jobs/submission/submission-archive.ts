import { isReached, reachOf } from '../../access/restriction'
import { heldBy } from '../../archives/archive-use'
import type { FindNamedDirectory } from '../../archives/named-directory'
import { refuseCapacity } from '../../archives/workdir-capacity'
import { formatSnapshot, isArchiveHash } from '../../contract/archives/snapshot-name'
import type { JobConfig } from '../../contract/config/config'
import { selectEntrypoint } from '../../contract/config/program/entrypoint'
import { type GpuqError, invalidField } from '../../contract/errors'
import { findRow, type Transaction } from '../../database/transaction'
import { directoryNames } from '../features'
import { visibleTo } from '../read/job-visibility'
import type { JobOwner } from './job-owner'

type DirectoryKeys = Pick<JobConfig, 'archive' | 'project_id' | 'memory_gb' | 'command' | 'entrypoint'>

/** The directory of a job. */
interface Directory {
  id: string
  /** In hexadecimal. */
  hash: string
  /** What the config names, with the version of a snapshot: `code@3`. */
  reference: string
  files: number
  bytes: number
}

interface FoundArchive {
  directory: Directory | null
  /** The file to run; undefined: solution.py from the upload, or the command. */
  entrypoint: string | undefined
}

/**
 * Finds the directory of a config, and the file that the job runs: a directory that its owner or the caller has uploaded to the
 * job's project, or a snapshot that the project may use.
 * @throws 422 if there is no such directory, or it is not completely uploaded, does not fit into the job's memory, or
 * does not have the file.
 */
export async function findArchive(
  tx: Transaction,
  owner: JobOwner,
  config: DirectoryKeys,
  hasCode: boolean,
  pathsOf = (archiveId: string) => readPaths(tx, archiveId),
): Promise<FoundArchive> {
  const directory = await findDirectory(tx, owner, config)
  if (directory === null) {
    requireSolution(config)
    return { directory, entrypoint: config.entrypoint }
  }
  const { memory_gb } = config
  const tooLarge = memory_gb === undefined ? null : refuseCapacity(directory, Math.ceil(memory_gb * 1024))
  if (tooLarge !== null) throw refuse(tooLarge)
  return { directory, entrypoint: await findEntrypoint(() => pathsOf(directory.id), config, hasCode) }
}

/**
 * Finds the directory that a config names; null if it names none. The lock prevents its deletion until the job exists. A hash
 * names it only for users who have it, or who see it in a snapshot of the project or in a job; for a restricted token, in a job that
 * it reaches.
 * @throws 422 if there is no such directory, the same if others have it.
 */
async function findDirectory(
  tx: Transaction,
  { projectId, userId, callerId, callerIsAdmin, restriction }: JobOwner,
  config: Pick<JobConfig, 'archive' | 'project_id'>,
): Promise<Directory | null> {
  const { archive, project_id: slug } = config
  if (archive === undefined) return null
  if (!isArchiveHash(archive)) {
    const found = await findNamedDirectory(tx, { id: projectId, slug }, archive)
    if ('problem' in found) throw refuse(found.problem)
    return { ...found, id: found.archiveId, reference: formatSnapshot(found) }
  }
  const found = await findRow<Pick<Directory, 'id' | 'bytes' | 'files'>>(tx, {
    name: 'archive-of-submission',
    text: `SELECT a.id, a.bytes, a.files FROM archives a
            WHERE a.project_id = $1 AND a.hash = $2
              AND (${heldBy('$3')}
                   OR EXISTS (SELECT 1 FROM jobs j WHERE j.archive_id = a.id AND ${visibleTo('$4::uuid', '$5::boolean')}
                                AND (NOT $6 OR (j.user_id = $4 AND ${isReached('j', '$7', '$8')}))))
              FOR KEY SHARE OF a`,
    values: [
      projectId,
      Buffer.from(archive, 'hex'),
      [userId, callerId],
      callerId,
      callerIsAdmin,
      restriction !== null,
      ...reachOf(restriction),
    ],
  })
  if (!found) throw noArchive(config)
  return { ...found, hash: archive, reference: archive }
}

/** Finds the directory that a name in a config means, as {@link FindNamedDirectory} says. */
export const findNamedDirectory: FindNamedDirectory = async (...given) =>
  (await directoryNames[0]?.(...given)) ?? { problem: 'this installation has no names for directories' }

/** The hash of the directory that a config names. Does not look for a directory that the config names by its hash. */
export async function findDirectoryHash(
  tx: Transaction,
  owner: JobOwner,
  config: Pick<JobConfig, 'archive' | 'project_id'>,
): Promise<string | undefined> {
  const { archive } = config
  if (archive === undefined || isArchiveHash(archive)) return archive
  return (await findDirectory(tx, owner, config))?.hash
}

/** Without a directory, solution.py is the only file. */
function requireSolution({ entrypoint }: DirectoryKeys): void {
  if (entrypoint === undefined || entrypoint === 'solution.py') return
  throw refuseEntrypoint(
    'the job has no directory, so it has only solution.py: upload the directory, or omit this key',
  )
}

/** `solution.py` of the upload is in the directory as well, in place of a file with that name. */
async function findEntrypoint(
  readFiles: () => Promise<string[]>,
  { command, entrypoint }: DirectoryKeys,
  hasCode: boolean,
): Promise<string | undefined> {
  if (command !== undefined) return undefined
  if (hasCode && (entrypoint ?? 'solution.py') === 'solution.py') return entrypoint
  const selected = selectEntrypoint(entrypoint, await readFiles())
  if ('problem' in selected) throw refuseEntrypoint(selected.problem)
  return selected.path
}

export async function readPaths(tx: Transaction, archiveId: string): Promise<string[]> {
  const { rows } = await tx.query<{ path: string }>({
    name: 'paths-of-archive',
    text: `SELECT e->>'path' AS path FROM archives a, jsonb_array_elements(a.manifest->'entries') e WHERE a.id = $1`,
    values: [archiveId],
  })
  return rows.map(({ path }) => path)
}

function refuseEntrypoint(message: string): GpuqError {
  return invalidField('entrypoint', message, `entrypoint: ${message}.`)
}

export function noArchive({ project_id }: Pick<JobConfig, 'project_id'>): GpuqError {
  return refuse(
    `the project "${project_id}" does not have this directory from you. It was not uploaded completely, or was deleted because no job needed it: upload it again`,
  )
}

function refuse(message: string): GpuqError {
  return invalidField('archive', message, `archive: ${message}`)
}
