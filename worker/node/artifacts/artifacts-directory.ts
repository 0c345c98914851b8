import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type TaskUser, taskGid, taskUid } from '../../runtime/spec/container-spec'

const run = promisify(execFile)

/** Files and directories that may lie in /results together. */
const mostEntries = 4_096

/**
 * What a task sees as `/results`, on this host: a file system of its own in memory, which the kernel keeps to its size and
 * number of files. A directory of the disk could be filled by files that are deleted and still open, unseen by
 * anyone who looks; and what the engine itself mounts is gone the moment the program ends.
 */
export function artifactsDirectory(tasksDirectory: string, taskId: string): string {
  return join(`${tasksDirectory}.results`, taskId)
}

/** Makes it, unless it is there: what an earlier worker began is kept. */
async function openArtifacts(
  path: string,
  taskId: string,
  limitBytes: number,
  user: TaskUser = { uid: taskUid(taskId), gid: taskGid },
): Promise<void> {
  // For root alone: where the engine does not see what is mounted on it, nobody can write there.
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (await isOpen(path)) return
  const owner = `uid=${user.uid},gid=${user.gid},mode=0700`
  const limits = `size=${limitBytes},nr_inodes=${mostEntries + 1}`
  await run('mount', ['-t', 'tmpfs', '-o', `nosuid,nodev,noexec,${owner},${limits}`, 'gpuq-results', path])
}

/** Makes that of a task; null where this node keeps nothing of it. */
export async function prepareArtifacts(
  tasksDirectory: string,
  taskId: string,
  limitBytes: number | null,
  user: TaskUser,
): Promise<string | null> {
  if (limitBytes === null) return null
  const path = artifactsDirectory(tasksDirectory, taskId)
  await openArtifacts(path, taskId, limitBytes, user)
  return path
}

/** Removes it and all that lies there. One that is not there is success. */
export async function closeArtifacts(path: string): Promise<void> {
  // Lazily: a reader that was given up on holds nothing up.
  if (await isOpen(path)) await run('umount', ['-l', path])
  await rm(path, { recursive: true, force: true })
}

/** Gives back the memory of all of them below a directory, once there are no containers left. */
export async function closeAllArtifacts(directory: string): Promise<void> {
  const table = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  for (const line of table.split('\n')) {
    const [source, escaped = ''] = line.split(' ')
    const path = escaped.replace(/\\(\d{3})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    )
    if (source === 'gpuq-results' && path.startsWith(`${directory}/`)) await run('umount', ['-l', path])
  }
}

/** Ids of the tasks that have one here. */
export function listArtifactDirectories(tasksDirectory: string): Promise<string[]> {
  return listed(`${tasksDirectory}.results`)
}

async function listed(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

export async function isOpen(path: string): Promise<boolean> {
  try {
    return (await stat(path)).dev !== (await stat(dirname(path))).dev
  } catch (error) {
    if (isAbsent(error)) return false
    throw error
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Null where this worker can keep what jobs leave in /results; else what to change. */
export async function whyNoResults(tasksDirectory: string): Promise<string | null> {
  const path = artifactsDirectory(tasksDirectory, 'probe')
  try {
    await openArtifacts(path, 'probe', 1 << 20)
    await closeArtifacts(path)
    return null
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    return `Files that jobs write to /results are not kept here: the worker may not mount file systems. Run it as root, with CAP_SYS_ADMIN. (${said.slice(0, 200)})`
  }
}
