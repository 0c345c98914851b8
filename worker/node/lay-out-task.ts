import type { Lease } from '@/lib/cluster/nodes'
import type { ClaimedTask } from '@/lib/cluster/tasks'
import { taskUser } from '../runtime/container-spec'
import type { TaskContainer } from '../runtime/runtime'
import { checkpointsOf, openCheckpoints } from './checkpoints'
import { containerOf, hasShippedDirectory } from './container-of'
import { layOutArchive } from './lay-out-archive'
import { closeResults, layOutResults, resultsDirectory } from './results-directory'
import { removeTaskDirectory, taskDirectory, writeTaskDirectory } from './task-directory'
import type { TaskSettings } from './task-settings'
import { findWorkspace } from './workspace'

/**
 * Makes on this host what the task's container will find, and says what the container is. Doing it again makes the same.
 * Null when `stopping` came first: a large directory takes a while.
 */
export async function layOutTask(
  host: TaskSettings & { lease: Lease },
  task: ClaimedTask,
  stopping: AbortSignal,
): Promise<TaskContainer | null> {
  const { tasksDirectory, resultsLimitBytes, jobNetworks } = host
  const directory = taskDirectory(tasksDirectory, task.id)
  const workspace = await findWorkspace(task)
  await writeTaskDirectory(directory, task)
  try {
    if (hasShippedDirectory(task)) await layOutArchive(directory, task, stopping)
  } catch (error) {
    if (stopping.aborted) return null
    throw error
  }
  const checkpoints = await openCheckpoints(checkpointsOf(host.checkpointsDirectory, task), workspace)
  const user = taskUser({ taskId: task.id, workspace, checkpoints })
  const results = await layOutResults(tasksDirectory, task.id, resultsLimitBytes, user)
  return { ...containerOf(task, host.lease, directory, jobNetworks), workspace, checkpoints, results }
}

/** Removes what was made for the task alone. */
export async function clearTask({ tasksDirectory }: TaskSettings, taskId: string): Promise<void> {
  await removeTaskDirectory(taskDirectory(tasksDirectory, taskId))
  await closeResults(resultsDirectory(tasksDirectory, taskId))
}
