import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { localCheckpoints, removeLocal } from '../../checkpoints/local-checkpoints'
import { restoreCheckpoints } from '../../checkpoints/restore-checkpoints'
import { openCheckpoints, runOf, runUser, sharedCheckpoints } from '../../checkpoints/run-directory'
import type { TaskCheckpoints, TaskContainer } from '../../runtime/runtime'
import { type TaskUser, taskUser } from '../../runtime/spec/container-spec'
import { artifactsDirectory, closeArtifacts, prepareArtifacts } from '../artifacts/artifacts-directory'
import { prepareArchive } from './prepare-archive'
import { removeTaskDirectory, taskDirectory, writeTaskDirectory } from './task-directory'
import type { TaskSettings } from './task-settings'
import { hasShippedDirectory, toContainerSpec } from './to-container-spec'
import { findWorkspace } from './workspace'

/**
 * Makes on this host what the task's container will find, and says what the container is. Doing it again makes the same.
 * Null when `stopping` came first: a large directory takes a while. `note` says in the job's output how far it is.
 */
export async function prepareTask(
  host: TaskSettings & { lease: Lease },
  task: ClaimedTask,
  stopping: AbortSignal,
  note: (text: string) => void,
): Promise<TaskContainer | null> {
  const { tasksDirectory, resultsLimitBytes, jobNetworks } = host
  const directory = taskDirectory(tasksDirectory, task.id)
  const workspace = await findWorkspace(task)
  await writeTaskDirectory(directory, task)
  let checkpoints: TaskCheckpoints | null
  try {
    if (hasShippedDirectory(task)) await prepareArchive(directory, task, stopping)
    checkpoints = await layOutCheckpoints(host, task, workspace, { stopping, note })
  } catch (error) {
    if (stopping.aborted) return null
    throw error
  }
  const user = taskUser({ taskId: task.id, workspace, checkpoints })
  const results = await prepareArtifacts(tasksDirectory, task.id, resultsLimitBytes, user)
  return { ...toContainerSpec(task, host.lease, directory, jobNetworks), workspace, checkpoints, results }
}

/** What the run's attempts have left; null: the task is of no named run. */
async function layOutCheckpoints(
  { tasksDirectory, checkpointsDirectory }: TaskSettings,
  task: ClaimedTask,
  workspace: TaskUser | null,
  { stopping, note }: { stopping: AbortSignal; note: (text: string) => void },
): Promise<TaskCheckpoints | null> {
  const run = runOf(task)
  if (run === null) return null
  const user = workspace ?? runUser(run)
  if (checkpointsDirectory !== null) {
    return openCheckpoints(sharedCheckpoints(checkpointsDirectory, run), user)
  }
  const local = localCheckpoints(tasksDirectory, task.id)
  return restoreCheckpoints({ task, run, user, local, note }, stopping)
}

/** Removes what was made for the task alone. */
export async function clearTask({ tasksDirectory }: TaskSettings, taskId: string): Promise<void> {
  await removeTaskDirectory(taskDirectory(tasksDirectory, taskId))
  await closeArtifacts(artifactsDirectory(tasksDirectory, taskId))
  await removeLocal(tasksDirectory, taskId)
}
