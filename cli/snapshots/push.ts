import type { Project } from '@/lib/contract/access/projects'
import { formatSnapshot, refuseSnapshotName } from '@/lib/contract/archives/snapshot-name'
import { forbidden, GpuqError, invalidRequest } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { refusePush } from '@/lib/snapshots/contract'
import { type Context, writeJson, writeText } from '../context'
import { findProject } from '../find-project'
import { note } from '../job/show-job'
import { uploadDirectory } from '../pack/upload-directory'

interface PushOptions {
  name: string
  project: string
  quiet?: boolean
  json?: boolean
}

/** Uploads a directory as the next version of a snapshot, and prints `name@version`. */
export async function push(
  context: Context,
  directory: string,
  { name, project, quiet = false, json }: PushOptions,
): Promise<number> {
  const refused = refuseSnapshotName(name)
  if (refused !== null) throw invalidRequest(`--name ${name}: ${refused}. gpuq chooses the version.`)
  if (project.includes('/'))
    throw invalidRequest('--project: you can push only to a project of yours: leave out its owner.')
  const client = await context.connect()
  const found = await findToPush(client, project)
  const archive = await uploadDirectory(context, project, directory, quiet)
  // The upload creates a project that does not exist.
  const { id } = found ?? (await findProject(client, project))
  const pushed = await client.snapshots.create(id, { name, archive })
  const snapshot = formatSnapshot(pushed)
  if (!pushed.created && !quiet) await note(context, `${snapshot} has the same content: no new version`)
  return json ? writeJson(context, pushed) : writeText(context, `${snapshot}\n`)
}

/** Finds the project, null if it does not exist yet. Refuses before the upload, which may be large. @throws 403 */
async function findToPush(client: Client, project: string): Promise<Project | null> {
  const found = await findProject(client, project).catch((error: unknown) => {
    if (error instanceof GpuqError && error.code === 'not_found') return null
    throw error
  })
  if (found && !found.may_push) throw forbidden(refusePush(found))
  return found
}
