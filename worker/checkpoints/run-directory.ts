import { chmod, chown, lstat, mkdir, opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sleep } from '@/lib/async/sleep'
import type { Run } from '@/lib/cluster/checkpoints/checkpoint-files'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import type { TaskCheckpoints } from '../runtime/runtime'
import { type TaskUser, taskGid, taskUid } from '../runtime/spec/container-spec'

/** The named run that a task is an attempt at, the same for each task, attempt and job of that name in the project; null: none. */
export function runOf({ spec, project }: Pick<ClaimedTask, 'spec' | 'project'>): Run | null {
  return spec.run_name === undefined ? null : { projectId: project.id, name: spec.run_name }
}

/** Where a run keeps its checkpoints on a shared disk. */
export function sharedCheckpoints(checkpointsDirectory: string, { projectId, name }: Run): string {
  return join(checkpointsDirectory, projectId, name)
}

/** Whom the tasks of a run run as, in every attempt, where nothing else decides it. */
export function runUser({ projectId, name }: Run): TaskUser {
  return { uid: taskUid(`${projectId}/${name}`), gid: taskGid }
}

/** Makes a directory for checkpoints where it is not there. What a run has written stays. */
export async function openCheckpoints(path: string, user: TaskUser): Promise<TaskCheckpoints> {
  // Nobody on the host looks around in here, and every container sees only its own.
  await mkdir(dirname(path), { recursive: true, mode: 0o711 })
  await mkdir(path, { recursive: true, mode: 0o700 })
  await own(path, user)
  return { path, uid: user.uid, gid: user.gid }
}

/** Gives a file or directory to the user of a run. */
export async function own(path: string, { uid, gid }: TaskUser): Promise<void> {
  const stats = await lstat(path)
  if (stats.uid === uid && stats.gid === gid) return
  try {
    await chown(path, uid, gid)
  } catch (error) {
    // A worker that is not root cannot give it away. Its parent lets nobody in who does not know the name.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error
    await chmod(path, 0o777)
  }
}

const measureEveryMs = 5_000

/**
 * Looks how much lies in a directory, from time to time until `signal`, and says so once it is more than `limitBytes`.
 * The disk has no limit of its own for one run.
 */
export async function watchSize(
  path: string,
  limitBytes: number,
  signal: AbortSignal,
  onOver: () => void,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(measureEveryMs, signal)
    if (signal.aborted) return
    if ((await measureDirectory(path, limitBytes)) > limitBytes) return onOver()
  }
}

/** Bytes on the disk below a directory; it stops counting beyond `enough`. What vanishes meanwhile counts nothing. */
export async function measureDirectory(path: string, enough = Number.POSITIVE_INFINITY): Promise<number> {
  let bytes = 0
  const waiting = [path]
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const entries = await opendir(directory).catch(() => null)
    if (entries === null) continue
    try {
      for await (const entry of entries) {
        const found = join(directory, entry.name)
        if (entry.isDirectory()) waiting.push(found)
        const stats = await lstat(found).catch(() => null)
        // What a file takes on the disk, and something for its name.
        bytes += stats === null ? 0 : stats.blocks * 512 + 512
        if (bytes > enough) return bytes
      }
    } catch {
      // Removed, or lost by a shared disk, while it was read: it counts as far as it came. The next look is soon.
    }
  }
  return bytes
}
