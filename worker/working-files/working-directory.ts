import { lstat, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { workdirCapacity } from '@/lib/archives/workdir-capacity'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { errorCode } from '@/lib/contract/error-code'
import { copyMarker } from '../archives/copy-marker'
import { createMemoryDirectory, isMounted } from '../files/memory-directory'
import { TaskFault } from '../node/task/task-fault'
import type { TaskWorkingDirectory } from '../runtime/runtime'
import { maxWorkEntries } from '../runtime/spec/container-mounts'
import type { TaskUser } from '../runtime/spec/container-spec'

/** The working directories of all tasks. */
export const workingDirectoriesRoot = (tasksDirectory: string) => `${tasksDirectory}.work`

/** The host path of a task's working directory. */
export function workingDirectoryOf(tasksDirectory: string, taskId: string): string {
  return join(workingDirectoriesRoot(tasksDirectory), taskId)
}

/**
 * Creates the working directory of a task on this host; null if the job has none. It is in memory and counts towards the
 * task's memory, as /work does: its program copies the uploaded files and owns them.
 * @throws {TaskFault} if this worker may not mount file systems.
 */
export async function createWorkingDirectory(
  tasksDirectory: string,
  task: ClaimedTask,
  user: TaskUser,
): Promise<TaskWorkingDirectory | null> {
  const { working_directory: path } = task.spec
  if (path === undefined) return null
  const source = workingDirectoryOf(tasksDirectory, task.id)
  const limitBytes = workdirCapacity(task.memoryMib)
  const options = { limitBytes, maxEntries: maxWorkEntries, user, executable: true }
  await createMemoryDirectory(source, { source: 'gpuq-work', ...options }).catch((cause) => {
    const message = `The worker of ${task.peers[task.rank]?.nodeName ?? 'this node'} may not mount file systems, so the job cannot work in ${path}. Run the worker as root or with CAP_SYS_ADMIN.`
    throw new TaskFault('workspace_unavailable', message, { cause })
  })
  await createMarker(join(source, copyMarker), user)
  return { path, source, home: await createHome(join(tasksDirectory, task.id, 'home'), path) }
}

/** Creates an empty home directory with the place of the working directory; null if the path is in no home directory. */
async function createHome(source: string, path: string): Promise<TaskWorkingDirectory['home']> {
  const [, home, place] = /^(\/root|\/home\/[^/]+)\/(.+)$/.exec(path) ?? []
  if (home === undefined || place === undefined) return null
  await mkdir(join(source, place), { recursive: true, mode: 0o755 })
  return { path: home, source }
}

/** Keeps what is there. An earlier worker may have been killed between the directory and its marker. Follows no link. */
async function createMarker(path: string, { uid, gid }: TaskUser): Promise<void> {
  const file = await open(path, 'wx').catch((error: unknown) => {
    if (errorCode(error) === 'EEXIST') return null
    throw error
  })
  if (file === null) return
  try {
    await file.chown(uid, gid)
  } finally {
    await file.close()
  }
}

/** Whether the uploaded files are complete in a working directory: before that, a part of a file would look changed. */
export async function isCopied(source: string): Promise<boolean> {
  if (!(await isMounted(source))) return false
  return lstat(join(source, copyMarker)).then(
    () => false,
    () => true,
  )
}
