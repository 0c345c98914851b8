import type { JobNetworks } from '@/lib/cluster/job-network'
import type { Lease } from '@/lib/cluster/nodes'
import type { ClaimedTask } from '@/lib/cluster/tasks'
import { taskUser } from '../runtime/container-spec'
import type { TaskContainer } from '../runtime/runtime'
import { containerOf, hasShippedDirectory } from './container-of'
import { layOutArchive } from './lay-out-archive'
import { closeResults, layOutResults, resultsDirectory } from './results-directory'
import { removeTaskDirectory, taskDirectory, writeTaskDirectory } from './task-directory'
import { findWorkspace } from './workspace'

/** Where a node keeps what its tasks read and write. */
export interface LayOutHost {
  lease: Lease
  tasksDirectory: string
  /** What a task may leave in /results; null: this node keeps nothing of it. */
  resultsLimitBytes: number | null
  jobNetworks: JobNetworks
}

/**
 * Lays out a task's files, and says what its container is to be. Null when `stopping` came first: a large directory takes
 * a while.
 */
export async function layOutTask(
  host: LayOutHost,
  task: ClaimedTask,
  stopping: AbortSignal,
): Promise<TaskContainer | null> {
  const { tasksDirectory, resultsLimitBytes, lease, jobNetworks } = host
  const directory = taskDirectory(tasksDirectory, task.id)
  const workspace = await findWorkspace(task)
  await writeTaskDirectory(directory, task)
  try {
    if (hasShippedDirectory(task)) await layOutArchive(directory, task, stopping)
  } catch (error) {
    if (stopping.aborted) return null
    throw error
  }
  const user = taskUser({ taskId: task.id, workspace })
  const results = await layOutResults(tasksDirectory, task.id, resultsLimitBytes, user)
  return { ...containerOf(task, lease, directory, jobNetworks), workspace, results }
}

/** Removes what a task had on the node's disk. */
export async function removeLaidOut(tasksDirectory: string, taskId: string): Promise<void> {
  await removeTaskDirectory(taskDirectory(tasksDirectory, taskId))
  await closeResults(resultsDirectory(tasksDirectory, taskId))
}
