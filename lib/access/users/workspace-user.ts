import { invalidField } from '../../contract/errors'
import { workspaceOf } from '../../contract/workspaces'
import { database } from '../../database/client'
import { findRow, oneRow, type Transaction } from '../../database/transaction'
import { env } from '../../env'
import type { Actor } from '../actor'
import { findProject } from '../projects/submission-project'

interface Row {
  owner: string
  slug: string
  handle: string
  unix_uid: number | null
}

/**
 * Returns the shared working directory for a user's job in a project; null if the project has none.
 * @throws 422 if the user has no uid, because the job's files would have no owner.
 */
export async function requireWorkspaceUser(
  tx: Transaction,
  { userId, projectId }: { userId: string; projectId: string },
): Promise<string | null> {
  const workspaces = env().GPUQ_WORKSPACES
  if (workspaces === undefined) return null
  const row = await findRow<Row>(tx, {
    name: 'workspace-user',
    text: `SELECT o.handle AS owner, p.slug, u.handle, u.unix_uid
             FROM projects p JOIN users o ON o.id = p.owner_id, users u WHERE p.id = $1 AND u.id = $2`,
    values: [projectId, userId],
  })
  const workspace = row ? workspaceOf(workspaces, row) : null
  if (!row || workspace === null) return null
  if (workspace.shared || row.unix_uid !== null) return workspace.path
  const message = `the project uses the shared directory ${workspace.path}, and ${row.handle} has no uid to write there. An admin can set the uid on the Users page`
  throw invalidField('project_id', message)
}

/** Returns the shared working directory of a job; null if its project has none. */
export async function workspaceOfJob(jobId: string): Promise<string | null> {
  const workspaces = env().GPUQ_WORKSPACES
  if (workspaces === undefined) return null
  const project = await findRow<Pick<Row, 'owner' | 'slug'>>(database().pool, {
    name: 'workspace-of-job',
    text: `SELECT o.handle AS owner, p.slug FROM jobs j
             JOIN projects p ON p.id = j.project_id JOIN users o ON o.id = p.owner_id WHERE j.id = $1`,
    values: [jobId],
  })
  return (project && workspaceOf(workspaces, project)?.path) ?? null
}

/** Returns the shared working directory of a project that a user names in a submission; null if it has none. */
export async function sharedDirectoryOf(actor: Actor, slug: string): Promise<string | null> {
  const workspaces = env().GPUQ_WORKSPACES
  if (workspaces === undefined) return null
  const { pool } = database()
  const project = await findProject(pool, actor, slug)
  const owner = project
    ? await oneRow<{ handle: string }>(
        pool,
        'SELECT u.handle FROM projects p JOIN users u ON u.id = p.owner_id WHERE p.id = $1',
        [project.id],
      )
    : actor
  return workspaceOf(workspaces, { owner: owner.handle, slug })?.path ?? null
}
