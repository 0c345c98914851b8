import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type {
  createProjectSchema,
  listProjectsSchema,
  Project,
  updateProjectSchema,
} from '../../contract/access'
import { GpuqError } from '../../contract/errors'
import { database } from '../../database/client'
import { wakeLeader } from '../../database/notify'
import { cutPage, decodeTimeCursor, type Page } from '../../database/pagination'
import { isUniqueViolation, type Transaction, transaction } from '../../database/transaction'
import { type Actor, isAdmin, requireAdmin } from '../actor'
import { assignments } from '../assignments'
import { recordAudit } from '../audit'
import { findUser, userIdsOf } from '../users/user-rows'
import { type ProjectRow, projectColumns, projectSource, toProject, visibleProject } from './project-rows'

/** The actor's own projects and those shared with them, or for an admin all, the latest first. */
export async function listProjects(
  actor: Actor,
  query: z.output<typeof listProjectsSchema>,
): Promise<Page<Project>> {
  if (query.all) requireAdmin(actor)
  const after = decodeTimeCursor(query.cursor)
  const { rows } = await database().pool.query<ProjectRow>(
    `SELECT ${projectColumns} FROM ${projectSource}
      WHERE ${visibleProject('$1', '$2')}
        AND ($3::timestamptz IS NULL OR (p.created_at, p.id) < ($3, $4::uuid))
      ORDER BY p.created_at DESC, p.id DESC LIMIT $5`,
    [query.all, actor.userId, after.at, after.id, query.limit + 1],
  )
  return cutPage(rows, query.limit, (row) => [row.created_at.toISOString(), row.id], toProject)
}

/** One project that the actor may see; throws 404 for every other. */
export async function getProject(actor: Actor, id: string): Promise<Project> {
  return toProject(await findVisible(database().pool, actor, id))
}

/** Makes a project for the actor, or as an admin for another user. */
export function createProject(actor: Actor, input: z.output<typeof createProjectSchema>): Promise<Project> {
  const { project_id: slug, name = null, members } = input
  const owner = input.owner ?? actor.handle
  if (owner.toLowerCase() !== actor.handle.toLowerCase()) requireAdmin(actor)
  return transaction(async (tx) => {
    const user = await findUser(tx, owner)
    const id = uuidv7()
    await tx
      .query('INSERT INTO projects (id, slug, name, owner_id) VALUES ($1, $2, $3, $4)', [
        id,
        slug,
        name,
        user.id,
      ])
      .catch((error) => {
        if (!isUniqueViolation(error, 'projects_owner_id_slug_key')) throw error
        throw new GpuqError(
          'conflict',
          `"${user.handle}" has a project "${slug}" already. Choose another id.`,
        )
      })
    await addMembers(tx, id, user.id, await userIdsOf(tx, 'members', members))
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'project_created',
      target: `${user.handle}/${slug}`,
      detail: { id, members },
    })
    return toProject(await findVisible(tx, actor, id))
  })
}

/**
 * Changes a project: its owner the name, the members and how long files are kept, an admin also limits and shares. A member may take themself out, and
 * nothing more.
 */
export async function updateProject(actor: Actor, id: string, changes: ProjectChanges): Promise<Project> {
  const project = await transaction(async (tx) => {
    const before = await findVisible(tx, actor, id)
    const { add_members: added = [], remove_members: removed = [] } = changes
    if (!onlyLeaves(actor, changes)) requireOwner(actor, before)
    if (changes.limits || changes.shares) requireAdmin(actor)
    const set = assignments(columnsOf(changes), 2)
    if (set.list.length > 0) {
      await tx.query(`UPDATE projects SET ${set.list.join(', ')} WHERE id = $1`, [id, ...set.values])
    }
    await addMembers(tx, id, before.owner_id, await userIdsOf(tx, 'add_members', added))
    await tx.query('DELETE FROM memberships WHERE project_id = $1 AND user_id = ANY ($2::uuid[])', [
      id,
      await userIdsOf(tx, 'remove_members', removed),
    ])
    const target = `${before.owner}/${before.slug}`
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'project_updated',
      target,
      detail: { ...changes },
    })
    const { rows } = await tx.query<ProjectRow>(
      `SELECT ${projectColumns} FROM ${projectSource} WHERE p.id = $1`,
      [id],
    )
    return toProject(rows[0] ?? before)
  })
  // A larger share may be what a waiting job waits for.
  if (changes.shares) wakeLeader()
  return project
}

type ProjectChanges = z.output<typeof updateProjectSchema>

function onlyLeaves(actor: Actor, { remove_members: removed = [], ...others }: ProjectChanges): boolean {
  const { add_members: added = [], ...facts } = others
  const leaving = removed.every((handle) => handle.toLowerCase() === actor.handle.toLowerCase())
  return leaving && added.length === 0 && Object.values(facts).every((fact) => fact === undefined)
}

function columnsOf({
  name,
  retention_days,
  limits = {},
  shares = {},
}: ProjectChanges): Record<string, unknown> {
  const { gpu_quota: quota, ...others } = shares
  const gpu_quota_milli = typeof quota === 'number' ? Math.round(quota * 1000) : quota
  return { name, retention_days, ...limits, ...others, gpu_quota_milli }
}

/** Removes a project without jobs: jobs are a record, and stay with their project. */
export function deleteProject(actor: Actor, id: string): Promise<void> {
  return transaction(async (tx) => {
    const project = await findVisible(tx, actor, id)
    requireOwner(actor, project)
    // Waits for jobs that are being submitted into the project, and holds off new ones.
    await tx.query('SELECT 1 FROM projects WHERE id = $1 FOR UPDATE', [id])
    const { rowCount } = await tx.query('SELECT 1 FROM jobs WHERE project_id = $1 LIMIT 1', [id])
    if (rowCount !== 0) {
      throw new GpuqError('conflict', `"${project.slug}" has jobs, and stays as long as they do.`)
    }
    await tx.query('DELETE FROM projects WHERE id = $1', [id])
    const target = `${project.owner}/${project.slug}`
    await recordAudit(tx, { actorId: actor.userId, action: 'project_deleted', target, detail: { id } })
  })
}

async function findVisible(executor: Transaction, actor: Actor, id: string): Promise<ProjectRow> {
  const { rows } = z.uuid().safeParse(id).success
    ? await executor.query<ProjectRow>(
        `SELECT ${projectColumns} FROM ${projectSource} WHERE p.id = $1 AND ${visibleProject('$2', '$3')}`,
        [id, isAdmin(actor), actor.userId],
      )
    : { rows: [] }
  if (!rows[0]) throw new GpuqError('not_found', 'There is no such project.')
  return rows[0]
}

function requireOwner(actor: Actor, project: ProjectRow): void {
  if (project.owner_id === actor.userId || isAdmin(actor)) return
  throw new GpuqError('forbidden', `Only its owner, "${project.owner}", and admins may change this project.`)
}

/** The owner belongs to the project anyway, and whoever is a member stays one. */
async function addMembers(tx: Transaction, id: string, ownerId: string, users: string[]): Promise<void> {
  await tx.query(
    `INSERT INTO memberships (project_id, user_id)
     SELECT $1, u FROM unnest($2::uuid[]) AS u WHERE u <> $3 ON CONFLICT DO NOTHING`,
    [id, users, ownerId],
  )
}
