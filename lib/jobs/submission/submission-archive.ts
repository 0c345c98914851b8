import { refuseCapacity } from '../../archives/workdir-capacity'
import type { JobConfig } from '../../contract/config/config'
import { defaultEntrypoints, runnerOf } from '../../contract/config/entrypoint'
import { type GpuqError, invalidField } from '../../contract/errors'
import { findRow, type Transaction } from '../../database/transaction'

/** How many files an error lists. */
const mostNamed = 10

type DirectoryKeys = Pick<JobConfig, 'archive' | 'project_id' | 'memory_gb' | 'command' | 'entrypoint'>

interface FoundArchive {
  id: string | null
  /** The file to run; undefined: solution.py from the upload, or the command. */
  entrypoint: string | undefined
}

/**
 * Finds the uploaded directory of a config in the job's project, and the file that the job runs.
 * @throws 422 if the directory is not completely uploaded, does not fit into the job's memory, or does not have the file.
 */
export async function findArchive(
  tx: Transaction,
  projectId: string,
  config: DirectoryKeys,
  hasCode: boolean,
): Promise<FoundArchive> {
  const { archive, memory_gb } = config
  if (archive === undefined) {
    requireSolution(config)
    return { id: null, entrypoint: config.entrypoint }
  }
  // The lock prevents its deletion until the job exists.
  const found = await findRow<{ id: string; bytes: number; files: number }>(tx, {
    name: 'archive-of-submission',
    text: 'SELECT id, bytes, files FROM archives WHERE project_id = $1 AND hash = $2 FOR KEY SHARE',
    values: [projectId, Buffer.from(archive, 'hex')],
  })
  if (!found) throw noArchive(config)
  const tooLarge = memory_gb === undefined ? null : refuseCapacity(found, Math.ceil(memory_gb * 1024))
  if (tooLarge !== null) throw refuse(tooLarge)
  return { id: found.id, entrypoint: await findEntrypoint(tx, found.id, config, hasCode) }
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
  tx: Transaction,
  archiveId: string,
  { command, entrypoint }: DirectoryKeys,
  hasCode: boolean,
): Promise<string | undefined> {
  if (command !== undefined) return undefined
  if (hasCode && (entrypoint ?? 'solution.py') === 'solution.py') return entrypoint
  const wanted = entrypoint === undefined ? defaultEntrypoints : [entrypoint]
  const paths = await readPaths(tx, archiveId)
  const found = wanted.find((path) => paths.includes(path))
  if (found !== undefined) return found
  const missing =
    entrypoint === undefined
      ? `the directory has no ${defaultEntrypoints.join(', ')}: name the file to run with this key, or use the key command`
      : `the directory does not have ${entrypoint}`
  throw refuseEntrypoint(`${missing}. ${describeFound(paths)}`)
}

async function readPaths(tx: Transaction, archiveId: string): Promise<string[]> {
  const { rows } = await tx.query<{ path: string }>({
    name: 'paths-of-archive',
    text: `SELECT e->>'path' AS path FROM archives a, jsonb_array_elements(a.manifest->'entries') e WHERE a.id = $1`,
    values: [archiveId],
  })
  return rows.map(({ path }) => path)
}

/** The files that could run come first, those near the top before others. */
function describeFound(paths: readonly string[]): string {
  const depthOf = (path: string) => path.split('/').length
  const runnable = paths.filter((path) => runnerOf(path) !== null)
  const shown = (runnable.length > 0 ? runnable : paths)
    .toSorted((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
    .slice(0, mostNamed)
  const rest = paths.length - shown.length
  return `It has ${shown.join(', ')}${rest > 0 ? ` and ${rest} more files` : ''}`
}

function refuseEntrypoint(message: string): GpuqError {
  return invalidField('entrypoint', message, `entrypoint: ${message}.`)
}

export function noArchive({ project_id }: Pick<JobConfig, 'project_id'>): GpuqError {
  return refuse(
    `the project "${project_id}" does not have this directory. It was not uploaded completely, or was deleted because no job needed it: upload it again`,
  )
}

function refuse(message: string): GpuqError {
  return invalidField('archive', message, `archive: ${message}`)
}
