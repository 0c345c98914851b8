import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '@/lib/contract/error-code'
import { makePrivateDirectory } from '@/lib/env/private-directory'
import {
  artifactsIn,
  artifactsParent,
  artifactsRoot,
  createArtifactsDirectory,
  createWork,
  workIn,
} from '../artifacts/artifacts-directory'
import { listDirectory } from '../files/list-directory'
import { removeMemoryDirectory } from '../files/memory-directory'
import type { TaskUser } from '../runtime/spec/container-spec'

/** The files of all warm containers of a node that have no task. */
const warmRoot = (tasksDirectory: string) => `${tasksDirectory}.warm`

/** The directories of a warm container on this host. */
export interface WarmFiles {
  /** Becomes the directory of the task, `/job`. */
  job: string
  /** Becomes `/results` of the task; null: the node does not keep these files. */
  results: string | null
  /** Becomes `/work` of the task; null: as `results`. */
  work: string | null
}

export function warmFiles(tasksDirectory: string, id: string, hasResults: boolean): WarmFiles {
  const own = join(warmRoot(tasksDirectory), id)
  const parent = join(own, 'results')
  const [results, work] = hasResults ? [artifactsIn(parent), workIn(parent)] : [null, null]
  return { job: join(own, 'job'), results, work }
}

interface WarmLimits {
  resultsLimitBytes: number | null
  /** The memory of the task, a part of which `/work` may use; null: the engine makes `/work`. */
  workMemoryMib: number | null
}

/** Creates the directories, and the one to which {@link giveFilesTo} moves the results. */
export async function createWarmFiles(
  { job, results, work }: WarmFiles,
  tasksDirectory: string,
  { resultsLimitBytes, workMemoryMib }: WarmLimits,
  user: TaskUser,
): Promise<void> {
  await makePrivateDirectory(dirname(job))
  await mkdir(job, { recursive: true, mode: 0o755 })
  if (results === null || resultsLimitBytes === null) return
  await makePrivateDirectory(artifactsRoot(tasksDirectory))
  await createArtifactsDirectory(results, resultsLimitBytes, user)
  if (work !== null && workMemoryMib !== null) await createWork(work, workMemoryMib, user)
}

/**
 * Moves the directories to where those of the task belong. The container keeps them.
 * @returns false if the task already has a directory; then it has its own files.
 */
export async function giveFilesTo(
  taskId: string,
  { job, results }: WarmFiles,
  tasksDirectory: string,
): Promise<boolean> {
  try {
    // A mount moves with the directory above it. Its own directory could not be renamed.
    if (results !== null) await rename(dirname(results), artifactsParent(tasksDirectory, taskId))
    await rename(job, join(tasksDirectory, taskId))
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  }
}

/** Removes what a warm container still has of its own. */
export async function removeWarmFiles({ job, results, work }: WarmFiles): Promise<void> {
  if (work !== null) await removeMemoryDirectory(work)
  if (results !== null) await removeMemoryDirectory(results)
  await rm(dirname(job), { recursive: true, force: true })
}

/** The ids of the warm containers that have files here. */
export function listWarmFiles(tasksDirectory: string): Promise<string[]> {
  return listDirectory(warmRoot(tasksDirectory))
}
