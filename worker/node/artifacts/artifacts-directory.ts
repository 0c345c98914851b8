import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from '@/lib/contract/error-code'
import { type TaskUser, taskGid, taskUid } from '../../runtime/spec/container-spec'

const run = promisify(execFile)

/** Maximum number of files and directories in /results. */
const maxEntries = 4_096

/** The artifacts of all tasks. */
export const artifactsRoot = (tasksDirectory: string) => `${tasksDirectory}.results`

/**
 * The host path of a task's `/results`: an in-memory file system per task, whose size and number of files the kernel
 * limits. A plain directory could be filled invisibly by files that are deleted but still open, and a mount by the
 * engine disappears when the program ends.
 */
export function artifactsDirectory(tasksDirectory: string, taskId: string): string {
  return join(artifactsRoot(tasksDirectory), taskId)
}

/** Creates the directory. Keeps an existing one, which an earlier worker created. */
export async function createArtifactsDirectory(
  path: string,
  limitBytes: number,
  user: TaskUser,
): Promise<void> {
  // Only root can enter it, so nobody can write to the disk below if the engine does not see the mount.
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (await isOpen(path)) return
  const owner = `uid=${user.uid},gid=${user.gid},mode=0700`
  const limits = `size=${limitBytes},nr_inodes=${maxEntries + 1}`
  await run('mount', ['-t', 'tmpfs', '-o', `nosuid,nodev,noexec,${owner},${limits}`, 'gpuq-results', path])
}

/** Removes the directory and its content. Succeeds if it does not exist. */
export async function removeArtifacts(path: string): Promise<void> {
  // A lazy unmount does not wait for abandoned readers.
  if (await isOpen(path)) await run('umount', ['-l', path])
  await rm(path, { recursive: true, force: true })
}

/** Unmounts all of them below a directory, once there are no containers left. */
export async function removeAllArtifacts(directory: string): Promise<void> {
  const table = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  for (const line of table.split('\n')) {
    const [source, escaped = ''] = line.split(' ')
    const path = escaped.replace(/\\(\d{3})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    )
    if (source === 'gpuq-results' && path.startsWith(`${directory}/`)) await run('umount', ['-l', path])
  }
}

export async function isOpen(path: string): Promise<boolean> {
  try {
    return (await stat(path)).dev !== (await stat(dirname(path))).dev
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

/**
 * Returns null if this worker can keep the files of /results, otherwise what to change. The directory that it tries has
 * the name of the node: workers of several nodes may start at the same moment with one data directory.
 */
export async function artifactsUnavailableReason(
  tasksDirectory: string,
  node: string,
): Promise<string | null> {
  const path = artifactsDirectory(tasksDirectory, `probe-${node}`)
  try {
    await createArtifactsDirectory(path, 1 << 20, { uid: taskUid('probe'), gid: taskGid })
    await removeArtifacts(path)
    return null
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    return `The worker may not mount file systems, so files that jobs write to /results are not kept. Run it as root or with CAP_SYS_ADMIN. (${said.slice(0, 200)})`
  }
}
