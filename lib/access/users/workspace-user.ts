import { GpuqError } from '../../contract/errors'
import { workspaceOf } from '../../contract/workspaces'
import { database } from '../../database/client'
import type { Transaction } from '../../database/transaction'
import { env } from '../../env'

interface Row {
  owner: string
  slug: string
  handle: string
  unix_uid: number | null
}

/**
 * The shared directory that a user's job of a project works in; null where the project has none.
 * @throws 422 where it has one and the user no uid: nobody could say whose the job's files are.
 */
export async function requireWorkspaceUser(
  tx: Transaction,
  { userId, projectId }: { userId: string; projectId: string },
): Promise<string | null> {
  const workspaces = env().GPUQ_WORKSPACES
  if (workspaces === undefined) return null
  const { rows } = await tx.query<Row>({
    name: 'workspace-user',
    text: `SELECT o.handle AS owner, p.slug, u.handle, u.unix_uid
             FROM projects p JOIN users o ON o.id = p.owner_id, users u WHERE p.id = $1 AND u.id = $2`,
    values: [projectId, userId],
  })
  const [row] = rows
  const path = row ? workspaceOf(workspaces, row) : null
  if (!row || path === null || row.unix_uid !== null) return path
  const message = `the project works in ${path}, and ${row.handle} has no uid to write there with: an admin can set it on the page of users`
  throw new GpuqError('invalid_fields', `project_id: ${message}`, {
    errors: [{ path: 'project_id', message }],
  })
}

/** The shared directory that a job works in; null where its project has none. */
export async function workspaceOfJob(jobId: string): Promise<string | null> {
  const workspaces = env().GPUQ_WORKSPACES
  if (workspaces === undefined) return null
  const { rows } = await database().pool.query<Pick<Row, 'owner' | 'slug'>>({
    name: 'workspace-of-job',
    text: `SELECT o.handle AS owner, p.slug FROM jobs j
             JOIN projects p ON p.id = j.project_id JOIN users o ON o.id = p.owner_id WHERE j.id = $1`,
    values: [jobId],
  })
  return rows[0] ? workspaceOf(workspaces, rows[0]) : null
}
