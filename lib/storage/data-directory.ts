import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../contract/error-code'
import { closeDirectory } from '../env/private-directory'
import { areas } from './store'

/** The directories directly below the data directory that have files of jobs, besides those of the worker's tasks. */
const ownDirectories = [...areas, 'logs', 'podman', 'snapshots', 'uploads']

/** `tasks`, and beside it `tasks.results` and others, which have other parts of tasks. */
const ofTasks = /^tasks(\.|$)/

/**
 * Closes all directories of a data directory in which files of jobs are, because earlier versions left some of them open to
 * other accounts of the machine. The data directory itself is not closed: the embedded database may have an account of its
 * own, and an admin may keep other directories there. A link to an area of stored files on another disk is left as it is,
 * because only the owner can read these files.
 */
export async function closeDataDirectory(dataDirectory: string): Promise<void> {
  const entries = await readdir(dataDirectory, { withFileTypes: true }).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  })
  const isOwn = (name: string) => ofTasks.test(name) || ownDirectories.includes(name)
  const isStored = (name: string) => areas.some((area) => area === name)
  const own = entries.filter(
    (entry) => isOwn(entry.name) && !(entry.isSymbolicLink() && isStored(entry.name)),
  )
  await Promise.all(own.map(({ name }) => closeDirectory(join(dataDirectory, name))))
}
