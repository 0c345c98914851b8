import { execFile } from 'node:child_process'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { listDirectory } from '../../files/list-directory'
import { removeMemoryDirectory } from '../../files/memory-directory'
import type { TaskUser } from '../../runtime/spec/container-spec'
import { artifactsDirectory, createArtifactsDirectory } from '../artifacts/artifacts-directory'

const run = promisify(execFile)

/** The files of all warm containers of a node that have no task. */
const warmRoot = (tasksDirectory: string) => `${tasksDirectory}.warm`

/** The directories of a warm container on this host. */
export interface WarmFiles {
  /** Becomes the directory of the task, `/job`. */
  job: string
  /** Becomes `/results` of the task; null: the node does not keep these files. */
  results: string | null
}

export function warmFiles(tasksDirectory: string, id: string, hasResults: boolean): WarmFiles {
  const own = join(warmRoot(tasksDirectory), id)
  return { job: join(own, 'job'), results: hasResults ? join(own, 'results') : null }
}

export async function createWarmFiles(
  { job, results }: WarmFiles,
  resultsLimitBytes: number | null,
  user: TaskUser,
): Promise<void> {
  await mkdir(job, { recursive: true, mode: 0o755 })
  if (results !== null && resultsLimitBytes !== null)
    await createArtifactsDirectory(results, resultsLimitBytes, user)
}

/**
 * Moves the directories to where those of the task belong. The container keeps them.
 * @returns false if the task already has a directory; then nothing was moved.
 */
export async function giveFilesTo(
  taskId: string,
  { job, results }: WarmFiles,
  tasksDirectory: string,
): Promise<boolean> {
  try {
    await rename(job, join(tasksDirectory, taskId))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY') return false
    throw error
  }
  if (results === null) return true
  const path = artifactsDirectory(tasksDirectory, taskId)
  await mkdir(path, { recursive: true, mode: 0o700 })
  // A mount cannot be moved if others share it, as systemd makes them.
  await run('mount', ['--bind', results, path])
  return true
}

/** Removes what a warm container still has of its own. */
export async function removeWarmFiles({ job, results }: WarmFiles): Promise<void> {
  if (results !== null) await removeMemoryDirectory(results)
  await rm(dirname(job), { recursive: true, force: true })
}

/** The ids of the warm containers that have files here. */
export function listWarmFiles(tasksDirectory: string): Promise<string[]> {
  return listDirectory(warmRoot(tasksDirectory))
}
