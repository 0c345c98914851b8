import { access, constants, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { withTimeout } from '@/lib/async/sleep'
import { refuseHostDirectory } from '@/lib/contract/config/host-paths'
import { env } from '@/lib/env'
import { TaskFault } from '../node/task/task-fault'
import type { HostMount, TaskWorkspace } from '../runtime/runtime'

/** A file server that is gone never responds. */
const responseTimeoutMs = 10_000

/**
 * The directories of this host with which a script runs in its own directory, as the user who started gpuq.
 * @param prefix the directory of a conda environment.
 * @param usesRootless whether uid 0 of a container is the user who runs the engine.
 * @throws {TaskFault} if this worker does not allow it, or a path does not exist or cannot be mounted.
 */
export async function findHostFiles(
  { script, prefix }: { script: string; prefix: string | undefined },
  usesRootless: () => Promise<boolean>,
): Promise<TaskWorkspace> {
  if (!env().GPUQ_HOST_FILES) {
    throw unavailable(
      `The job runs ${script} in its own directory, and this gpuq does not allow it. Submit the script with its files.`,
    )
  }
  return withTimeout(findMounts(script, prefix, await usesRootless()), responseTimeoutMs, () => {
    throw unavailable(`The files of ${script} do not respond. Check their disk or file server.`)
  })
}

type Place = Omit<HostMount, 'recursive'>

async function findMounts(
  script: string,
  prefix: string | undefined,
  rootless: boolean,
): Promise<TaskWorkspace> {
  const program = await requireReadable(script, 'The script')
  if (!(await stat(program)).isFile()) throw unavailable(`${script} is not a file. Submit a Python program.`)
  const directory = dirname(script)
  const mounts: Place[] = []
  // Python looks for modules beside the file to which a link leads.
  await addMount(mounts, directory, false)
  await addMount(mounts, dirname(program), false)
  if (prefix !== undefined) await addPrefix(mounts, prefix)
  const dataDir = await realpath(env().GPUQ_DATA_DIR)
  const inside = mounts.find(({ source }) => isWithin(source, dataDir))
  if (inside) throw unavailable(`${inside.target} is in gpuq's data directory. Move the script elsewhere.`)
  const hidden = mounts.flatMap(({ source, target }) =>
    isWithin(dataDir, source) ? [join(target, dataDir.slice(source.length))] : [],
  )
  return {
    path: directory,
    ...(await userOf(directory, rootless)),
    startsHere: true,
    // A container that held the mounts in gpuq's data directory would keep others from being removed.
    mounts: mounts.map((mount) => ({ ...mount, recursive: !isWithin(dataDir, mount.source) })),
    hidden,
  }
}

/** The user who started gpuq. If that is root, the owner of the script's directory, who has fewer rights. */
async function userOf(directory: string, rootless: boolean): Promise<{ uid: number; gid: number }> {
  const [uid = 0, gid = 0] = [process.geteuid?.(), process.getegid?.()]
  if (rootless) return { uid: 0, gid: 0 }
  const owner = uid === 0 ? await stat(directory) : { uid, gid }
  return { uid: owner.uid, gid: owner.gid }
}

async function addPrefix(mounts: Place[], prefix: string): Promise<void> {
  await requireReadable(join(prefix, 'conda-meta'), 'The conda environment')
  await requireReadable(join(prefix, 'bin', 'python'), 'The Python of the conda environment')
  await addMount(mounts, prefix, true)
}

/** Mounts a directory at its path, and also at its real path, because its files may name either. */
async function addMount(mounts: Place[], path: string, readOnly: boolean): Promise<void> {
  const source = await realpath(path)
  for (const target of new Set([path, source])) {
    const refused = refuseHostDirectory(target)
    if (refused !== null) throw unavailable(`${refused}. Move the files to another directory.`)
    const isThere = mounts.some(
      (mount) =>
        (mount.readOnly || !readOnly) &&
        isWithin(target, mount.target) &&
        source === join(mount.source, target.slice(mount.target.length)),
    )
    if (!isThere) mounts.push({ source, target, readOnly })
  }
}

/** Returns the real path. */
async function requireReadable(path: string, what: string): Promise<string> {
  try {
    await access(path, constants.R_OK)
    return await realpath(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw unavailable(
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `${what} ${path} does not exist. Restore it, or submit the job with another path.`
        : `${what} ${path} cannot be read: ${code}. Check its permissions.`,
    )
  }
}

const isWithin = (path: string, directory: string) => `${path}/`.startsWith(`${directory}/`)

const unavailable = (message: string) => new TaskFault('workspace_unavailable', message)
