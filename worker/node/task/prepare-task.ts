import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { prepareArchive, uploadedDirectory } from '../../archives/prepare-archive'
import {
  artifactsDirectory,
  artifactsRoot,
  createArtifactsDirectory,
  createWork,
  removeArtifacts,
  workOf,
} from '../../artifacts/artifacts-directory'
import { localCheckpoints, localCheckpointsRoot, removeLocal } from '../../checkpoints/local-checkpoints'
import { restoreCheckpoints } from '../../checkpoints/restore-checkpoints'
import { openCheckpoints, runUser, sharedCheckpoints } from '../../checkpoints/run-directory'
import { listDirectory } from '../../files/list-directory'
import { removeMemoryDirectory } from '../../files/memory-directory'
import { findHostFiles } from '../../host-files/host-files'
import type { SnapshotMount, TaskCheckpoints, TaskContainer } from '../../runtime/runtime'
import { type TaskUser, taskUser } from '../../runtime/spec/container-spec'
import { restoreWorkingFiles } from '../../working-files/restore-working-files'
import {
  createWorkingDirectory,
  workingDirectoriesRoot,
  workingDirectoryOf,
} from '../../working-files/working-directory'
import { findWorkspace } from '../../workspaces/workspace'
import { endingItself } from './program/ending-itself'
import { writeTaskDirectory } from './task-directory'
import type { TaskHost } from './task-settings'
import { toContainerSpec } from './to-container-spec'

type Settings = Pick<TaskHost, 'tasksDirectory' | 'snapshots' | 'checkpointsDirectory'>

/**
 * Creates the files of the task's container on this host, and returns the container's specification. Idempotent.
 * Returns null if `stopping` was aborted first, because a large directory takes a while. `note` reports progress in
 * the job's output.
 */
export async function prepareTask(
  host: Omit<TaskHost, 'onKillFailed' | 'leaseIsHeld'>,
  task: ClaimedTask,
  stopping: AbortSignal,
  note: (text: string) => void,
): Promise<TaskContainer | null> {
  const { tasksDirectory, resultsLimitBytes, jobNetworks, keepsJobs } = host
  // Mounted read-only at `/job`.
  const directory = join(tasksDirectory, task.id)
  const workspace =
    (await findHostFiles(task, () => host.runtime.facts.usesRootless())) ?? (await findWorkspace(task))
  const results = resultsLimitBytes === null ? null : artifactsDirectory(tasksDirectory, task.id)
  const hasOtherWork =
    task.spec.working_directory === '/work' || workspace?.mounts.some(({ target }) => target === '/work')
  // An engine that maps users would give it to another user.
  const keepsWork = results !== null && !hasOtherWork && !(await host.runtime.facts.mapsUsers())
  const work = keepsWork ? { work: workOf(tasksDirectory, task.id) } : {}
  const container = toContainerSpec(task, host.lease, directory, jobNetworks)
  const command = keepsJobs ? endingItself(container.command, task.timeLimitS) : container.command
  const spec = { ...container, command, workspace, results, ...work }
  // Before anything is written: it brings the directory with it.
  const warm = await takeWarm(host, task, spec)
  await writeTaskDirectory(directory, task)
  let checkpoints: TaskCheckpoints | null
  let mounts: SnapshotMount[]
  try {
    mounts = await prepareMounts(host, task, { signal: stopping, note })
    if (task.spec.archive !== undefined) await prepareArchive(directory, task, stopping)
    if (task.spec.working_directory !== undefined)
      await restoreWorkingFiles(join(directory, uploadedDirectory), task, stopping)
    checkpoints = await restoreRunCheckpoints(host, task, workspace, { stopping, note })
  } catch (error) {
    if (stopping.aborted) return null
    throw error
  }
  const user = taskUser({ taskId: task.id, workspace, checkpoints, ...warm })
  if (results !== null && resultsLimitBytes !== null && warm === null) {
    await createArtifactsDirectory(results, resultsLimitBytes, user)
    if (spec.work !== undefined) await createWork(spec.work, task.memoryMib, user)
  }
  const workingDirectory = await createWorkingDirectory(tasksDirectory, task, user)
  return { ...spec, checkpoints, workingDirectory, mounts, ...warm }
}

/** Reserves a warm container for a task; null: there is none, or it needs files that none can have. */
async function takeWarm(
  { warm }: Pick<TaskHost, 'warm'>,
  task: ClaimedTask,
  spec: Omit<TaskContainer, 'checkpoints' | 'workingDirectory' | 'mounts'>,
): Promise<Required<Pick<TaskContainer, 'warm'>> | null> {
  const needsMore = task.mounts.length > 0 || task.spec.working_directory !== undefined || task.run !== null
  if (needsMore) return null
  const container = await warm.take({ ...spec, checkpoints: null, workingDirectory: null, mounts: [] })
  return container === undefined ? null : { warm: container }
}

/** Makes the snapshots of a task available on this machine. They stay until {@link clearTask}. */
async function prepareMounts(
  { snapshots }: Settings,
  task: ClaimedTask,
  waiting: { signal: AbortSignal; note: (text: string) => void },
): Promise<SnapshotMount[]> {
  const mounts: SnapshotMount[] = []
  for (const { path, ...snapshot } of task.mounts) {
    const source = await snapshots.acquire(task.id, snapshot, waiting)
    mounts.push({ path, source, hash: snapshot.hash })
  }
  return mounts
}

/** Restores the checkpoints of the run's earlier attempts; null if the task has no named run. */
async function restoreRunCheckpoints(
  { tasksDirectory, checkpointsDirectory }: Settings,
  task: ClaimedTask,
  workspace: TaskUser | null,
  { stopping, note }: { stopping: AbortSignal; note: (text: string) => void },
): Promise<TaskCheckpoints | null> {
  const { run } = task
  if (run === null) return null
  const user = workspace ?? runUser(run)
  if (checkpointsDirectory !== null) {
    return openCheckpoints(sharedCheckpoints(checkpointsDirectory, run), user)
  }
  const local = localCheckpoints(tasksDirectory, task.id)
  return restoreCheckpoints({ task, run, user, local, note }, stopping)
}

/** Removes the files created for this task only, and releases its snapshots. */
export async function clearTask(
  { tasksDirectory, snapshots }: Pick<Settings, 'tasksDirectory' | 'snapshots'>,
  taskId: string,
): Promise<void> {
  await rm(join(tasksDirectory, taskId), { recursive: true, force: true })
  await removeArtifacts(tasksDirectory, taskId)
  await removeMemoryDirectory(workingDirectoryOf(tasksDirectory, taskId))
  await removeLocal(tasksDirectory, taskId)
  await snapshots.release(taskId)
}

/** Returns the ids of the tasks that have files here. */
export async function listTasksWithFiles({
  tasksDirectory,
}: Pick<Settings, 'tasksDirectory'>): Promise<string[]> {
  const roots = [
    tasksDirectory,
    artifactsRoot(tasksDirectory),
    workingDirectoriesRoot(tasksDirectory),
    localCheckpointsRoot(tasksDirectory),
  ]
  return [...new Set((await Promise.all(roots.map(listDirectory))).flat())]
}
