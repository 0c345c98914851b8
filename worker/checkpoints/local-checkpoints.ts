import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { logger } from '@/lib/logger'

/** A task's own directory for checkpoints, where they are kept in the bucket. */
export interface LocalCheckpoints {
  /** All of it, on this host. */
  root: string
  /** What its container sees. */
  files: string
}

const allOf = (tasksDirectory: string) => `${tasksDirectory}.checkpoints`

/** Beside the tasks' directories, which containers see: nothing else of it is theirs. */
export function localCheckpoints(tasksDirectory: string, taskId: string): LocalCheckpoints {
  const root = join(allOf(tasksDirectory), taskId)
  return { root, files: join(root, 'files') }
}

/** An empty one: what an earlier try left in it may be half of something. */
export async function emptyLocal({ root }: LocalCheckpoints): Promise<void> {
  await rm(root, { recursive: true, force: true })
  await mkdir(root, { recursive: true, mode: 0o711 })
}

/** The times of files go on in steps of at most 10 ms. */
const stepMs = 20

/** Says that what is to be found in it lies there, all of it, from before this moment. The program starts after it. */
export async function markRestored(local: LocalCheckpoints): Promise<void> {
  await sleep(stepMs)
  await touch(join(local.root, 'restored'))
}

/** When that was, in nanoseconds by the file system's clock. Before all time where it was never said. */
export async function restoredNs(local: LocalCheckpoints): Promise<bigint> {
  const stats = await stat(join(local.root, 'restored'), { bigint: true }).catch(() => null)
  return stats?.ctimeNs ?? -1n
}

/** Now, by the clock that gives its files their times: a file server has its own. */
export async function fileSystemNs(local: LocalCheckpoints): Promise<bigint> {
  const path = join(local.root, 'clock')
  await touch(path)
  return (await stat(path, { bigint: true })).ctimeNs
}

async function touch(path: string): Promise<void> {
  await writeFile(path, '.', { mode: 0o600 })
}

/** Removes that of a task. One that is not there is success. */
export async function removeLocal(tasksDirectory: string, taskId: string): Promise<void> {
  const { root } = localCheckpoints(tasksDirectory, taskId)
  await rm(root, { recursive: true, force: true }).catch((error: unknown) => {
    // A worker that is not root may not delete what others have put into directories of theirs.
    logger.warn({ err: error, task: taskId }, 'the checkpoints of a task that is over stay on the disk')
  })
}

/** Ids of the tasks that have one here. */
export async function listLocal(tasksDirectory: string): Promise<string[]> {
  try {
    return await readdir(allOf(tasksDirectory))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
