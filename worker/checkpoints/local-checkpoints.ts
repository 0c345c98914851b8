import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makePrivateDirectory } from '@/lib/env/private-directory'
import { logger } from '@/lib/logger'

/** A task's own directory for checkpoints that are stored in the bucket. */
export interface LocalCheckpoints {
  /** The whole directory on this host. */
  root: string
  /** The part that its container sees. */
  files: string
}

/** The local checkpoints of all tasks. */
export const localCheckpointsRoot = (tasksDirectory: string) => `${tasksDirectory}.checkpoints`

/** Beside the tasks' directories, of which containers see parts; nothing else here is visible to them. */
export function localCheckpoints(tasksDirectory: string, taskId: string): LocalCheckpoints {
  const root = join(localCheckpointsRoot(tasksDirectory), taskId)
  return { root, files: join(root, 'files') }
}

/** Creates an empty directory, because an earlier try may have left a partial one. */
export async function recreateLocal({ root }: LocalCheckpoints): Promise<void> {
  await rm(root, { recursive: true, force: true })
  await makePrivateDirectory(root)
}

/** File times have a resolution of at most 10 ms. */
const stepMs = 20

/** Records that the restored files are complete now. The program starts afterwards. */
export async function markRestored(local: LocalCheckpoints): Promise<void> {
  await sleep(stepMs)
  await touch(join(local.root, 'restored'))
}

/** Returns that time in nanoseconds by the file system's clock; the minimum if it was never recorded. */
export async function restoredNs(local: LocalCheckpoints): Promise<bigint> {
  const stats = await stat(join(local.root, 'restored'), { bigint: true }).catch(() => null)
  return stats?.ctimeNs ?? -1n
}

/** Returns the current time by the clock of the file system, because a file server has its own clock. */
export async function fileSystemNs(local: LocalCheckpoints): Promise<bigint> {
  const path = join(local.root, 'clock')
  await touch(path)
  return (await stat(path, { bigint: true })).ctimeNs
}

async function touch(path: string): Promise<void> {
  await writeFile(path, '.', { mode: 0o600 })
}

/** Removes the directory of a task. Succeeds if it does not exist. */
export async function removeLocal(tasksDirectory: string, taskId: string): Promise<void> {
  const { root } = localCheckpoints(tasksDirectory, taskId)
  await rm(root, { recursive: true, force: true }).catch((error: unknown) => {
    // A worker that is not root cannot delete files in directories of other users.
    logger.warn({ err: error, task: taskId }, 'could not delete the local checkpoints of an ended task')
  })
}
