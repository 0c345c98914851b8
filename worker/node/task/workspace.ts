import { lstat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withTimeout } from '@/lib/async/sleep'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { workspaceOf } from '@/lib/contract/workspaces'
import { env } from '@/lib/env'
import type { TaskWorkspace } from '../../runtime/runtime'

/** Why a project's shared directory cannot be given to a task; the message names path and node. */
export class WorkspaceFault extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WorkspaceFault'
  }
}

/** A server of files that has gone away answers nobody. */
const answersWithinMs = 10_000

/**
 * The shared directory of a task's project, looked at on this node; null where it has none.
 * @throws {WorkspaceFault} where it is not there, cannot be trusted, is another than the web server's, or its user has no uid.
 */
export async function findWorkspace(task: ClaimedTask): Promise<TaskWorkspace | null> {
  const path = workspaceOf(env().GPUQ_WORKSPACES, task.project)
  const node = task.peers[task.rank]?.nodeName ?? 'this node'
  requireSame(path, task.workspace, node)
  if (path === null) return null
  const { handle, uid, gid } = task.user
  if (uid === null) {
    throw new WorkspaceFault(`${handle} has no uid to write to ${path} with. An admin can set it.`)
  }
  await within(answersWithinMs, requireTrusted(path, node), `${path} does not answer on ${node}.`)
  const startsHere = task.command !== null && task.spec.archive === undefined
  return { path, uid, gid: gid ?? uid, startsHere }
}

/** A job that was accepted to work in a directory would run without its files, or write where nobody looks for them. */
function requireSame(path: string | null, accepted: string | null, node: string): void {
  if (accepted === null || accepted === path) return
  const has = path === null ? 'has none for its project' : `has ${path}`
  throw new WorkspaceFault(
    `The job was accepted to work in ${accepted}, and the worker of ${node} ${has}. Start it with the web server's GPUQ_WORKSPACES.`,
  )
}

/**
 * The engine follows the path once more when it mounts it. So it is no use to look whether it leads where it says, unless
 * nobody can lead it elsewhere in between: no part of it is a link, and every directory above belongs to root (or to the
 * worker's own user) and can be changed by nobody else. A project's own directory may belong to anyone.
 */
async function requireTrusted(path: string, node: string): Promise<void> {
  const trusted = new Set([0, process.geteuid?.() ?? 0])
  for (const part of partsOf(path)) {
    const stats = await lstat(part).catch((error: NodeJS.ErrnoException) => {
      throw new WorkspaceFault(
        error.code === 'ENOENT' || error.code === 'ENOTDIR'
          ? `${part} is not there on ${node}.`
          : `${part} cannot be looked at on ${node}: ${error.code}.`,
      )
    })
    if (stats.isSymbolicLink()) {
      throw new WorkspaceFault(`${part} is a link on ${node}. A shared directory is named by its real path.`)
    }
    if (!stats.isDirectory()) throw new WorkspaceFault(`${part} is no directory on ${node}.`)
    const open = !trusted.has(stats.uid) || (stats.mode & 0o022) !== 0
    if (part !== path && open) {
      throw new WorkspaceFault(
        `${part} on ${node} can be changed by others than root, who could put another directory in the place of ${path}.`,
      )
    }
  }
}

/** `/`, `/a`, `/a/b` for `/a/b`. */
function partsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [...partsOf(parent), path]
}

function within<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  return withTimeout(work, ms, () => {
    throw new WorkspaceFault(message)
  })
}
