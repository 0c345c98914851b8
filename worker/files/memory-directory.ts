import { execFile } from 'node:child_process'
import { chown, lstat, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from '@/lib/contract/error-code'
import type { TaskUser } from '../runtime/spec/container-spec'

const run = promisify(execFile)

interface MemoryDirectory {
  /** Names the mount in the table of the system: `gpuq-results`. */
  source: `gpuq-${string}`
  limitBytes: number
  /** Maximum number of files and directories. */
  maxEntries: number
  user: TaskUser
  /** Whether programs in it can be executed. */
  executable: boolean
}

/**
 * Creates an in-memory file system of a task on this host, whose size and number of files the kernel limits. A plain
 * directory could be filled invisibly by files that are deleted but still open, and a mount by the engine disappears
 * when the program ends. Keeps an existing one, which an earlier worker created.
 */
export async function createMemoryDirectory(path: string, options: MemoryDirectory): Promise<void> {
  const { source, limitBytes, maxEntries, user, executable } = options
  // Only root can enter it, so nobody can write to the disk below if the engine does not see the mount.
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (await isMounted(path)) {
    // An earlier worker may have died before it used a warm container, whose user owned it.
    await chown(path, user.uid, user.gid)
    return
  }
  const owner = `uid=${user.uid},gid=${user.gid},mode=0700`
  const limits = `size=${limitBytes},nr_inodes=${maxEntries + 1}`
  const flags = `nosuid,nodev${executable ? '' : ',noexec'}`
  await run('mount', ['-t', 'tmpfs', '-o', `${flags},${owner},${limits}`, source, path])
}

/** Removes the directory and its content. Succeeds if it does not exist. */
export async function removeMemoryDirectory(path: string): Promise<void> {
  // A lazy unmount does not wait for abandoned readers.
  if (await isMounted(path)) await run('umount', ['-l', path])
  await rm(path, { recursive: true, force: true })
}

/** Unmounts all of them below a directory, once there are no containers left. */
export async function removeAllMemoryDirectories(directory: string): Promise<void> {
  const table = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  for (const line of table.split('\n')) {
    const [source = '', escaped = ''] = line.split(' ')
    const path = escaped.replace(/\\(\d{3})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    )
    if (source.startsWith('gpuq-') && path.startsWith(`${directory}/`)) await run('umount', ['-l', path])
  }
}

/** Whether a file system is mounted at the path. */
export async function isMounted(path: string): Promise<boolean> {
  try {
    // A program may have put a link in its place.
    return (await lstat(path)).dev !== (await stat(dirname(path))).dev
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}
