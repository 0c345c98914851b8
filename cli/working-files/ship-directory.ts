import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { isLink } from '@/lib/contract/archives/archive-manifest'
import { isWithin } from '@/lib/contract/config/mounts'
import { refuseWorkingDirectory } from '@/lib/contract/config/working-directory'
import { invalidRequest } from '@/lib/contract/errors'
import type { Context } from '../context'
import { note } from '../job/show-job'
import { listDirectory } from '../pack/list-directory'
import { uploadListed } from '../pack/upload-directory'

/** A working directory as a job gets it. */
export type ShippedDirectory =
  /** The jobs of the project use the same storage. */
  | { shared: true; path: string }
  | {
      shared: false
      /** Absolute; the job finds the directory at this path. */
      path: string
      /** Undefined: the directory is empty. */
      archive: string | undefined
      /** The content of the sent files. */
      shipped: Record<string, string>
      /** A sentence about what was not sent, and why; null if everything was. */
      notSent: string | null
    }

/**
 * Returns the absolute path of a directory as the user's shell writes it: a link in it stays, because scripts name it.
 * @throws GpuqError if a job cannot have its working directory there.
 */
export async function resolveWorkingDirectory(env: NodeJS.ProcessEnv, given: string): Promise<string> {
  const path = resolve(await logicalDirectory(env), given)
  const home = env.HOME || homedir()
  const why = isWithin(home, path)
    ? 'is or has your home directory: work in a directory below it, so that private files are not sent'
    : refuseWorkingDirectory(path)
  if (why !== null) throw invalidRequest(`${path} ${why}.`)
  return path
}

/** The current directory. The shell keeps the path with its links in PWD. */
async function logicalDirectory({ PWD }: NodeJS.ProcessEnv): Promise<string> {
  const current = process.cwd()
  if (PWD === undefined || !isAbsolute(PWD)) return current
  return (await realpath(PWD).catch(() => null)) === current ? PWD : current
}

/** Whether the jobs of a project see a directory of this machine on the same storage. */
export async function isShared(context: Context, projectId: string, path: string): Promise<boolean> {
  return (await readLimits(context, projectId, path)).shared
}

/** What a project permits of an upload, and whether it shares the directory with the cluster. */
async function readLimits(context: Context, projectId: string, path: string) {
  const client = await context.connect()
  const { shared_directory: common, ...limits } = await client.archives.limits({ project_id: projectId })
  return { limits, shared: common != null && isWithin(path, common) }
}

interface ShipOptions {
  quiet: boolean
  /** Called before the directory is read and sent. It throws if the job would be refused. */
  check: () => Promise<void>
}

/**
 * Sends what has changed in a working directory, unless its project shares it with the cluster.
 * @throws GpuqError if the directory cannot be sent, ProblemError if the server refuses it.
 */
export async function shipDirectory(
  context: Context,
  projectId: string,
  path: string,
  { quiet, check }: ShipOptions,
): Promise<ShippedDirectory> {
  const { limits, shared } = await readLimits(context, projectId, path)
  if (shared) return { shared: true, path }
  await check()
  const listed = await listDirectory(context, path, limits, quiet, true)
  const { entries, notSent } = listed
  // An upload says it itself.
  if (entries.length === 0 && notSent !== null) await note(context, notSent)
  const archive = entries.length > 0 ? await uploadListed(context, projectId, listed, quiet) : undefined
  const files = entries.flatMap((entry) => (isLink(entry) ? [] : [[entry.path, entry.sha256] as const]))
  return { shared: false, path, archive, shipped: Object.fromEntries(files), notSent }
}
