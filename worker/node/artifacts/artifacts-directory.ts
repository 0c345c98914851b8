import { join } from 'node:path'
import { createMemoryDirectory, removeMemoryDirectory } from '../../files/memory-directory'
import { type TaskUser, taskGid, taskUid } from '../../runtime/spec/container-spec'

/** Maximum number of files and directories in /results. */
const maxEntries = 4_096

/** The artifacts of all tasks. */
export const artifactsRoot = (tasksDirectory: string) => `${tasksDirectory}.results`

/** The host path of a task's `/results`: an in-memory file system per task. */
export function artifactsDirectory(tasksDirectory: string, taskId: string): string {
  return join(artifactsRoot(tasksDirectory), taskId)
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
  const path = artifactsDirectory(tasksDirectory, `probe-${node}`)
  try {
    await createArtifactsDirectory(path, 1 << 20, { uid: taskUid('probe'), gid: taskGid })
    await removeMemoryDirectory(path)
    return null
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    return `The worker may not mount file systems, so files that jobs write to /results are not kept. Run it as root or with CAP_SYS_ADMIN. (${said.slice(0, 200)})`
  }
}
