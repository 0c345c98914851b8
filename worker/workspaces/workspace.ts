import { lstat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withTimeout } from '@/lib/async/sleep'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { workspaceOf } from '@/lib/contract/workspaces'
import { env } from '@/lib/env'
import { TaskFault } from '../node/task/task-fault'
import type { TaskWorkspace } from '../runtime/runtime'
import { type TaskUser, taskGid, taskUid } from '../runtime/spec/container-spec'

/** A file server that is gone never responds. */
const responseTimeoutMs = 10_000

/**
 * Checks the shared directory of a task's project on this node; null if the project has none.
 * @throws {TaskFault} if it does not exist, is not trusted, differs from the web server's, or its user has no
 * uid.
 */
export async function findWorkspace(task: ClaimedTask): Promise<TaskWorkspace | null> {
  const workspace = workspaceOf(env().GPUQ_WORKSPACES, task.project)
  const node = task.peers[task.rank]?.nodeName ?? 'this node'
  requireSame(workspace?.path ?? null, task.workspace, node)
  if (workspace === null) return null
  const { path, shared } = workspace
  const { handle, uid, gid } = task.user
  if (uid === null && !shared) {
    throw unavailable(`${handle} has no uid to write to ${path}. An admin can set the uid on the Users page.`)
  }
  await withTimeout(requireTrusted(path, node), responseTimeoutMs, () => {
    throw unavailable(`${path} does not respond on ${node}. Check its file server.`)
  })
  const startsHere = task.command !== null && task.spec.archive === undefined
  const user = uid === null ? await ownerOf(path, task.id) : { uid, gid: gid ?? uid }
  const mounts = [{ source: path, target: path, readOnly: false, recursive: false }]
  return { path, mounts, hidden: [], ...user, startsHere }
}

/** The owner of a directory; the user of the task if root or a service owns it, because no job runs as one of them. */
async function ownerOf(path: string, taskId: string): Promise<TaskUser> {
  const { uid, gid } = await lstat(path)
  return uid < 1000 ? { uid: taskUid(taskId), gid: taskGid } : { uid, gid }
}

/** Without its directory, a job would run without its files, or write where nobody looks for them. */
function requireSame(path: string | null, accepted: string | null, node: string): void {
  if (accepted === null || accepted === path) return
  const has = path === null ? 'has none for its project' : `has ${path}`
  throw unavailable(
    `The job was accepted to work in ${accepted}, and the worker of ${node} ${has}. Start it with the web server's GPUQ_WORKSPACES.`,
  )
}

/**
 * The engine resolves the path again when it mounts it, so a check helps only if nobody can change the path in
 * between. Therefore no part of it may be a link, and every parent directory must belong to root (or the worker's
 * user) and be writable by nobody else. The project's own directory may belong to anyone.
 */
async function requireTrusted(path: string, node: string): Promise<void> {
  const trusted = new Set([0, process.geteuid?.() ?? 0])
  for (const part of partsOf(path)) {
    const stats = await lstat(part).catch((error: NodeJS.ErrnoException) => {
      throw unavailable(
        error.code === 'ENOENT' || error.code === 'ENOTDIR'
          ? `${part} does not exist on ${node}. Create or mount it.`
          : `${part} cannot be read on ${node}: ${error.code}. Check its permissions.`,
      )
    })
    if (stats.isSymbolicLink()) {
      throw unavailable(`${part} is a link on ${node}. Set the real path in GPUQ_WORKSPACES.`)
    }
    if (!stats.isDirectory())
      throw unavailable(`${part} is not a directory on ${node}. Set a directory in GPUQ_WORKSPACES.`)
    const open = !trusted.has(stats.uid) || (stats.mode & 0o022) !== 0
    if (part !== path && open) {
      throw unavailable(
        `Users other than root can change ${part} on ${node} and could replace ${path} by another directory. Make root its owner and remove write permission for others.`,
      )
    }
  }
}

/** Returns `/`, `/a`, `/a/b` for `/a/b`. */
function partsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [...partsOf(parent), path]
}

const unavailable = (message: string) => new TaskFault('workspace_unavailable', message)
