import { join } from 'node:path'
import { workdirCapacity } from '@/lib/archives/workdir-capacity'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { createMemoryDirectory, isMounted, removeMemoryDirectory } from '../files/memory-directory'
import type { NodeContext } from '../node/node-context'
import type { TaskContainer } from '../runtime/runtime'
import { maxWorkEntries } from '../runtime/spec/container-mounts'
import { type TaskUser, taskGid, taskUid } from '../runtime/spec/container-spec'

/** Maximum number of files and directories in /results. */
const maxEntries = 4_096

/** The artifacts of all tasks. */
export const artifactsRoot = (tasksDirectory: string) => `${tasksDirectory}.results`

/** The directory above the file systems of a task's `/results` and `/work`. It can be renamed, and they move with it. */
export function artifactsParent(tasksDirectory: string, taskId: string): string {
  return join(artifactsRoot(tasksDirectory), taskId)
}

/** The file system of `/results` in such a directory. */
export const artifactsIn = (parent: string) => join(parent, 'files')

/** The file system of `/work` in such a directory. */
export const workIn = (parent: string) => join(parent, 'work')

/** The host path of a task's `/work`. */
export function workOf(tasksDirectory: string, taskId: string): string {
  return workIn(artifactsParent(tasksDirectory, taskId))
}

/** The host path of a task's `/results`: an in-memory file system per task. */
export function artifactsDirectory(tasksDirectory: string, taskId: string): string {
  return artifactsIn(artifactsParent(tasksDirectory, taskId))
}

/**
 * The host paths of a task's `/results` and `/work`.
 * @param limitBytes null: files are not kept on this node.
 * @param container as the hooks before left it.
 */
export async function artifactPlaces(
  { runtime, tasksDirectory }: NodeContext,
  limitBytes: number | null,
  { id, spec }: ClaimedTask,
  { workspace }: TaskContainer,
): Promise<Pick<TaskContainer, 'results' | 'work'>> {
  if (limitBytes === null) return { results: null }
  const results = artifactsDirectory(tasksDirectory, id)
  const hasOtherWork =
    spec.working_directory === '/work' || workspace?.mounts.some(({ target }) => target === '/work')
  // An engine that maps users would give it to another user.
  const keepsWork = !hasOtherWork && !(await runtime.facts.mapsUsers())
  return { results, ...(keepsWork && { work: workOf(tasksDirectory, id) }) }
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
  await removeMemoryDirectory(workOf(tasksDirectory, taskId))
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
 * Creates `/work` of a task. It counts towards the task's memory, and allows execution. The container does not need it to be on this
 * host, but what the program leaves in it can be counted.
 */
export async function createWork(path: string, memoryMib: number, user: TaskUser): Promise<void> {
  const limits = { limitBytes: workdirCapacity(memoryMib), maxEntries: maxWorkEntries }
  await createMemoryDirectory(path, { source: 'gpuq-work', ...limits, user, executable: true })
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
