import { join } from 'node:path'
import { createMemoryDirectory, isMounted, removeMemoryDirectory } from '../../files/memory-directory'
import { type TaskUser, taskGid, taskUid } from '../../runtime/spec/container-spec'

/** Maximum number of files and directories in /results. */
const maxEntries = 4_096

/** The artifacts of all tasks. */
export const artifactsRoot = (tasksDirectory: string) => `${tasksDirectory}.results`

/** The directory above the file system of a task's `/results`. It can be renamed, and the file system moves with it. */
export function artifactsParent(tasksDirectory: string, taskId: string): string {
  return join(artifactsRoot(tasksDirectory), taskId)
}

/** The file system of `/results` in such a directory. */
export const artifactsIn = (parent: string) => join(parent, 'files')

/** The host path of a task's `/results`: an in-memory file system per task. */
export function artifactsDirectory(tasksDirectory: string, taskId: string): string {
  return artifactsIn(artifactsParent(tasksDirectory, taskId))
}

/** Where the files of a task are now; null: it has none. */
export async function findArtifactsDirectory(tasksDirectory: string, taskId: string): Promise<string | null> {
  const directory = artifactsDirectory(tasksDirectory, taskId)
  if (await isMounted(directory)) return directory
  // A task that an earlier version of gpuq started has its file system here.
  const parent = artifactsParent(tasksDirectory, taskId)
  return (await isMounted(parent)) ? parent : null
}

/** Removes the files of a task. Succeeds if it has none. */
export async function removeArtifacts(tasksDirectory: string, taskId: string): Promise<void> {
  await removeMemoryDirectory(artifactsDirectory(tasksDirectory, taskId))
  await removeMemoryDirectory(artifactsParent(tasksDirectory, taskId))
}

/** Creates the directory. Keeps an existing one, which an earlier worker created. */
export async function createArtifactsDirectory(
  path: string,
  limitBytes: number,
  user: TaskUser,
): Promise<void> {
  await createMemoryDirectory(path, {
    source: 'gpuq-results',
    limitBytes,
    maxEntries,
    user,
    executable: false,
  })
}

/**
 * Returns null if this worker can keep the files of /results, otherwise what to change. The directory that it tries has
 * the name of the node: workers of several nodes may start at the same moment with one data directory.
 */
export async function artifactsUnavailableReason(
  tasksDirectory: string,
  node: string,
): Promise<string | null> {
  const probe = `probe-${node}`
  try {
    const user = { uid: taskUid('probe'), gid: taskGid }
    await createArtifactsDirectory(artifactsDirectory(tasksDirectory, probe), 1 << 20, user)
    await removeArtifacts(tasksDirectory, probe)
    return null
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    return `The worker may not mount file systems, so files that jobs write to /results are not kept. Run it as root or with CAP_SYS_ADMIN. (${said.slice(0, 200)})`
  }
}
