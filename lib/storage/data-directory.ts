import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../contract/error-code'
import { closeDirectory } from '../env/private-directory'
import { areas } from './store'

/**
 * Directories directly below the data directory whose files have modes for containers, so that only the directory keeps other
 * accounts out: `tasks`, and beside it `tasks.results` and others with other parts of tasks, and unpacked snapshots.
 */
const readableFiles = /^(tasks(\..*)?|snapshots)$/

/**
 * Closes all directories of a data directory in which files of jobs are, because earlier versions left some of them open to
 * other accounts of the machine. The data directory itself is not closed: the embedded database may have an account of its
 * own, and an admin may keep other directories there. A link to stored files on another disk is left as it is, because only
 * the owner can read these files.
 * @throws as {@link closeDirectory}.
 */
export async function closeDataDirectory(dataDirectory: string): Promise<void> {
  const entries = await readdir(dataDirectory, { withFileTypes: true }).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  })
  const isStored = (name: string) => areas.some((area) => area === name)
  const closed = entries.filter(
    (entry) => readableFiles.test(entry.name) || (isStored(entry.name) && !entry.isSymbolicLink()),
  )
  await Promise.all(closed.map(({ name }) => closeDirectory(join(dataDirectory, name))))
}
