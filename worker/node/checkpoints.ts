import { chmod, chown, lstat, mkdir, opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ClaimedTask } from '@/lib/cluster/tasks'
import { storedSpecSchema } from '@/lib/jobs/stored-spec'
import { pause } from '../pause'
import { type TaskUser, taskGid, taskUid } from '../runtime/container-spec'
import type { TaskCheckpoints } from '../runtime/runtime'

/**
 * Where a run keeps its checkpoints: the same for each task, attempt and job of that name in the project. Null for a task
 * of no named run.
 */
export function checkpointsOf(
  checkpointsDirectory: string,
  { spec, project }: Pick<ClaimedTask, 'spec' | 'project'>,
): string | null {
  const { run_name: name } = storedSpecSchema.parse(spec)
  return name === undefined ? null : join(checkpointsDirectory, project.id, name)
}

/**
 * Makes a run's directory where it is not there. What a run has written stays.
 * @param user whom the task runs as for another reason; null: a user of the run's own, the same in every attempt.
 */
export async function openCheckpoints(
  path: string | null,
  user: TaskUser | null,
): Promise<TaskCheckpoints | null> {
  if (path === null) return null
  const { uid, gid } = user ?? { uid: taskUid(path.split('/').slice(-2).join('/')), gid: taskGid }
  // Nobody on the host looks around in here, and every container sees only its own.
  await mkdir(dirname(path), { recursive: true, mode: 0o711 })
  await mkdir(path, { recursive: true, mode: 0o700 })
  await own(path, { uid, gid })
  return { path, uid, gid }
}

async function own(path: string, { uid, gid }: TaskUser): Promise<void> {
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
 * A shared disk has no limit of its own for one run.
 */
export async function watchSize(
  path: string,
  limitBytes: number,
  signal: AbortSignal,
  onOver: () => void,
): Promise<void> {
  while (!signal.aborted) {
    await pause(measureEveryMs, signal)
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
