import { chmod, chown, lstat, mkdir, opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sleep } from '@/lib/async/sleep'
import type { Run } from '@/lib/cluster/tasks/tasks'
import { errorCode } from '@/lib/contract/error-code'
import { closeDirectory, makePrivateDirectory } from '@/lib/env/private-directory'
import { listDirectory } from '../files/list-directory'
import type { TaskCheckpoints } from '../runtime/runtime'
import { type TaskUser, taskGid, taskUid } from '../runtime/spec/container-spec'

/** The directory of a run's checkpoints on a shared disk. */
export function sharedCheckpoints(checkpointsDirectory: string, { projectId, directory }: Run): string {
  return join(checkpointsDirectory, projectId, directory)
}

/** The user of a run's tasks, equal for every attempt, unless something else determines the user. */
export function runUser({ projectId, directory }: Run): TaskUser {
  return { uid: taskUid(`${projectId}/${directory}`), gid: taskGid }
}

/** Creates a directory for checkpoints if it is missing. Keeps existing files. */
export async function openCheckpoints(path: string, user: TaskUser): Promise<TaskCheckpoints> {
  await makePrivateDirectory(dirname(path))
  await mkdir(path, { recursive: true, mode: 0o700 })
  await setOwner(path, user)
  return { path, uid: user.uid, gid: user.gid }
}

/** A project's directory on the shared disk, which has its runs. */
const projectPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The ids of the projects that have checkpoints on the shared disk. */
export async function listProjects(checkpointsDirectory: string): Promise<string[]> {
  return (await listDirectory(checkpointsDirectory)).filter((name) => projectPattern.test(name))
}

/**
 * Closes the directories of all projects on the shared disk, which earlier versions left open to other accounts. Returns what an
 * admin must correct. Jobs of other projects need not wait for that.
 */
export async function closeRuns(checkpointsDirectory: string): Promise<string[]> {
  const problems: string[] = []
  const note = (error: unknown) => void problems.push(error instanceof Error ? error.message : String(error))
  const projects = await listProjects(checkpointsDirectory).catch((error: unknown) => {
    if (errorCode(error) !== 'EACCES') throw error
    problems.push(`gpuq's account may not list ${checkpointsDirectory}. Let it read that directory.`)
    return []
  })
  for (const id of projects) await closeDirectory(join(checkpointsDirectory, id)).catch(note)
  return problems
}

/** Makes the user of a run the owner of a file or directory. */
export async function setOwner(path: string, { uid, gid }: TaskUser): Promise<void> {
  const stats = await lstat(path)
  if (stats.uid === uid && stats.gid === gid) return
  try {
    await chown(path, uid, gid)
  } catch (error) {
    // A worker that is not root cannot change the owner. Others still cannot enter the parent directory.
    if (errorCode(error) !== 'EPERM') throw error
    await chmod(path, 0o777)
  }
}

const measureEveryMs = 5_000

/**
 * Measures a directory periodically until `signal` is aborted and once after that, and reports when it exceeds
 * `limitBytes`. The disk has no limit for a single run.
 */
export async function watchSize(
  path: string,
  limitBytes: number,
  signal: AbortSignal,
  { onMeasured, onOver }: { onMeasured: (bytes: number) => Promise<void>; onOver: () => void },
): Promise<void> {
  for (let ended = false; !ended; ) {
    await sleep(measureEveryMs, signal)
    ended = signal.aborted
    const bytes = await measureDirectory(path, limitBytes)
    await onMeasured(bytes)
    if (bytes <= limitBytes || ended) continue
    return onOver()
  }
}

/** Returns the disk usage of a directory in bytes; stops counting beyond `enough`. Ignores files that disappear. */
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
        // Disk usage of a file, and an estimate for its name.
        bytes += stats === null ? 0 : stats.blocks * 512 + 512
        if (bytes > enough) return bytes
      }
    } catch {
      // Removed during the scan; the part counted so far is kept, and the next scan follows soon.
    }
  }
  return bytes
}
