import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type { ProjectKind } from '../../contract/access/project-kinds'
import type {
  createProjectSchema,
  listProjectsSchema,
  Project,
  updateProjectSchema,
} from '../../contract/access/projects'
import { conflict, forbidden, invalidField, notFound } from '../../contract/errors'
import { database } from '../../database/client'
import { wakeLeader } from '../../database/notify'
import { cutPage, decodeTimeCursor, type Page } from '../../database/pagination'
import { findRow, isUniqueViolation, oneRow, type Transaction, transaction } from '../../database/transaction'
import { externalEngine } from '../../engine/external-engine'
import { env } from '../../env'
import { type Actor, isAdmin, requireAdmin } from '../actor'
import { recordAudit } from '../audit'
import { assignmentsWithLimits } from '../limits'
import { requireNoCompetition } from '../of-competition'
import { findUser } from '../users/user-rows'
import { lockOwnProjects, requireProjectAllowance } from './project-allowance'
import { inviteMembers, removeMembers } from './project-invitations'
import { requireMayCreateClasses, turnProject } from './project-kind'
import { changeManagers, changePushers, requireMayChange, requireOwner } from './project-managers'
import { type ProjectRow, projectColumns, projectSource, toProjects, visibleProject } from './project-rows'
import { unshareRuns } from './shared-runs'

/** Lists the actor's own and shared projects, or all for an admin, the latest first. */
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
        AND ($6::text IS NULL OR p.slug = $6)
      ORDER BY p.created_at DESC, p.id DESC LIMIT $5`,
    [query.all, actor.userId, after.at, after.id, query.limit + 1, query.project_id],
  )
  const page = cutPage(
    rows,
    query.limit,
    (row) => [row.created_at.toISOString(), row.id],
    (row) => row,
  )
  return { ...page, items: await toProjects(database().pool, actor, page.items) }
}

/** Reads one project. @throws 404 if the actor may not see it. */
export async function getProject(actor: Actor, id: string): Promise<Project> {
  const { pool } = database()
  return readProject(pool, actor, await findVisible(pool, actor, id))
}

async function readProject(executor: Transaction, actor: Actor, row: ProjectRow): Promise<Project> {
  const [project] = await toProjects(executor, actor, [row])
  if (!project) throw new Error('A row became no project.')
  return project
}

/**
 * Creates a project for the actor, or as an admin for another user.
 * @throws 409 or 429 if a researcher has too many projects, or made too many in the last minute.
 */
export function createProject(
  actor: Actor,
  input: Omit<z.output<typeof createProjectSchema>, 'kind'> & { kind?: ProjectKind },
): Promise<Project> {
  const { project_id: slug, name = null, members, kind = 'private' } = input
  const owner = input.owner ?? actor.handle
  if (owner.toLowerCase() !== actor.handle.toLowerCase()) requireAdmin(actor)
  return transaction(async (tx) => {
    const user = await findUser(tx, owner)
    await lockOwnProjects(tx, user.id)
    if (!isAdmin(actor)) await requireProjectAllowance(tx, user.id)
    if (kind !== 'private') await requireMayCreateClasses(tx, actor)
    const id = uuidv7()
    const insert =
      'INSERT INTO projects (id, slug, name, owner_id, kind) VALUES ($1, $2, $3, $4, $5::"ProjectKind")'
    await tx.query(insert, [id, slug, name, user.id, kind]).catch((error) => {
      if (!isUniqueViolation(error, 'projects_owner_id_slug_key')) throw error
      throw conflict(`"${user.handle}" already has a project "${slug}". Choose another id.`)
    })
    await inviteMembers(tx, id, members)
    const target = `${user.handle}/${slug}`
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'project_created',
      target,
      detail: { id, kind, members },
    })
    return readProject(tx, actor, await findVisible(tx, actor, id))
  })
}

/**
 * Changes a project. The owner may change the name, invite and remove members, and shorten the retention; an admin also
 * changes limits, shares, quota, bucket and managers, and lengthens the retention; a manager invites and removes members, and
 * says who may push snapshots and whether members share runs; a member may only leave.
 */
export async function updateProject(actor: Actor, id: string, changes: ProjectChanges): Promise<Project> {
  const project = await transaction(async (tx) => {
    const before = await findVisible(tx, actor, id)
    const { add_members: added = [], remove_members: removed = [] } = changes
    requireMayChange(actor, before, changes)
    await requireOwnMembers(tx, before, changes)
    if (changes.limits || changes.shares || changes.storage_quota_gib !== undefined) requireAdmin(actor)
    if (changes.bucket !== undefined) requireAdmin(actor)
    requireRetention(actor, before, changes.retention_days)
    requireSharesApply(before.shares, changes.shares)
    requireOwnerBudget(before, changes)
    const bucket_id = changes.bucket === undefined ? undefined : await bucketIdOf(tx, changes.bucket)
    const set = assignmentsWithLimits({ ...columnsOf(changes), bucket_id }, changes.limits ?? {}, 2)
    if (set.list.length > 0) {
      await tx.query(`UPDATE projects SET ${set.list.join(', ')} WHERE id = $1`, [id, ...set.values])
    }
    if (changes.kind !== undefined) await turnProject(tx, actor, before, changes.kind)
    await unshareRuns(tx, id, changes.unshare_old_runs)
    await inviteMembers(tx, id, added)
    await removeMembers(tx, id, removed)
    await changeManagers(tx, before, changes)
    await changePushers(tx, before, changes)
    const target = `${before.owner}/${before.slug}`
    const detail = { ...changes }
    const action = takesAway(changes) ? 'project_rights_removed' : 'project_updated'
    await recordAudit(tx, { actorId: actor.userId, action, target, detail })
    // Not findVisible: a member who leaves no longer sees the project.
    const select = `SELECT ${projectColumns} FROM ${projectSource} WHERE p.id = $1`
    return readProject(tx, actor, await oneRow<ProjectRow>(tx, select, [id]))
  })
  // A larger share may let a waiting job start.
  if (changes.shares) wakeLeader()
  return project
}

/** @throws 409 for other members, another kind or another retention of a project of a competition. */
async function requireOwnMembers(
  tx: Transaction,
  before: ProjectRow,
  changes: ProjectChanges,
): Promise<void> {
  const { kind, retention_days, add_members, remove_members, add_managers, remove_managers } = changes
  const named = [add_members, remove_members, add_managers, remove_managers, changes.add_pushers]
  const changesRetention = retention_days !== undefined && retention_days !== before.retention_days
  if (kind === undefined && !changesRetention && named.every((handles = []) => handles.length === 0)) return
  await requireNoCompetition(
    tx,
    before.id,
    'Its hosts are its only members, and its files are kept: change the hosts in competition.yaml.',
  )
}

const takenAway = ['remove_members', 'remove_managers', 'remove_pushers', 'unshare_old_runs']

/** Whether a change only ends rights of members, which must always be possible. */
function takesAway(changes: ProjectChanges): boolean {
  return Object.keys(changes).every((key) => takenAway.includes(key))
}

/** @throws 422 for another share of the cluster if an external engine decides: it would not follow it. */
function requireSharesApply(before: ProjectRow['shares'], changed: ProjectChanges['shares'] = {}): void {
  const engine = externalEngine()
  if (!engine) return
  for (const key of Object.keys(changed) as (keyof typeof changed)[]) {
    if (changed[key] === undefined || changed[key] === before[key]) continue
    throw invalidField(`shares.${key}`, engine.says.shares)
  }
}

/** @throws 422 for a budget of the owner above that of the admins, or if an external engine decides. */
function requireOwnerBudget(
  { shares, owner_gpu_hour_budget: before }: ProjectRow,
  changes: ProjectChanges,
): void {
  const { owner_gpu_hour_budget: budget } = changes
  // A form sends what was set before.
  if (budget == null || budget === before) return
  const engine = externalEngine()
  if (engine) throw invalidField('owner_gpu_hour_budget', engine.says.shares)
  const { gpu_hour_budget: most } = { ...shares, ...changes.shares }
  if (most == null || budget <= most) return
  throw invalidField('owner_gpu_hour_budget', `must be at most ${most}, the budget that an admin set`)
}

/** The id of a registered bucket for a project; null for none. @throws 422 if there is none of this name. */
async function bucketIdOf(tx: Transaction, name: string | null): Promise<string | null> {
  if (name === null) return null
  // Waits for a concurrent deletion of the bucket.
  const found = await findRow<{ id: string }>(tx, 'SELECT id FROM buckets WHERE name = $1 FOR KEY SHARE', [
    name,
  ])
  if (found) return found.id
  throw invalidField('bucket', `no bucket "${name}" is registered: GET /api/buckets lists them`)
}

type ProjectChanges = z.output<typeof updateProjectSchema>

function columnsOf(changes: ProjectChanges): Record<string, unknown> {
  const { name, owner_gpu_hour_budget, share_runs, retention_days, storage_quota_gib, shares = {} } = changes
  const { gpu_quota: quota, ...others } = shares
  const gpu_quota_milli = typeof quota === 'number' ? Math.round(quota * 1000) : quota
  return {
    name,
    owner_gpu_hour_budget,
    share_runs,
    retention_days,
    storage_quota_gib,
    ...others,
    gpu_quota_milli,
  }
}

/** Deletes a project without jobs. Jobs are a permanent record and keep their project. */
export function deleteProject(actor: Actor, id: string): Promise<void> {
  return transaction(async (tx) => {
    const project = await findVisible(tx, actor, id)
    requireOwner(actor, project)
    // Waits for submissions into the project, and blocks new ones.
    await tx.query('SELECT 1 FROM projects WHERE id = $1 FOR UPDATE', [id])
    const { rowCount } = await tx.query(
      'SELECT 1 FROM jobs WHERE project_id = $1 UNION ALL SELECT 1 FROM job_groups WHERE project_id = $1 LIMIT 1',
      [id],
    )
    if (rowCount !== 0) {
      throw conflict(`"${project.slug}" has jobs. A project can be deleted only while it has none.`)
    }
    await requireNoCompetition(tx, id, 'A project of a competition cannot be deleted.')
    await requireNoForeignUse(tx, id)
    await tx.query('DELETE FROM projects WHERE id = $1', [id])
    const target = `${project.owner}/${project.slug}`
    await recordAudit(tx, { actorId: actor.userId, action: 'project_deleted', target, detail: { id } })
  })
}

/** @throws 409 if other projects may use its directories. */
async function requireNoForeignUse(tx: Transaction, id: string): Promise<void> {
  const { shared, live } = await oneRow<{ shared: string | null; live: boolean }>(
    tx,
    `SELECT (SELECT name || '@' || version FROM snapshots WHERE project_id = $1 AND shared_at IS NOT NULL LIMIT 1) AS shared,
            EXISTS (SELECT 1 FROM jobs j JOIN archives a ON a.id = j.archive_id
                     WHERE a.project_id = $1 AND j.ended_at IS NULL)
            OR EXISTS (SELECT 1 FROM jobs j JOIN job_mounts m ON m.job_id = j.id JOIN snapshots s ON s.id = m.snapshot_id
                        WHERE s.project_id = $1 AND j.ended_at IS NULL) AS live`,
    [id],
  )
  if (shared !== null) {
    throw conflict(`Its snapshot ${shared} is shared with everyone. Ask an admin to unshare it first.`)
  }
  if (live) throw conflict('A job of another project uses one of its snapshots. Wait for the end of the job.')
}

/** Finds a project that the actor owns or is a member of, or any for an admin. @throws 404. */
export async function findVisible(executor: Transaction, actor: Actor, id: string): Promise<ProjectRow> {
  const project = z.uuid().safeParse(id).success
    ? await findRow<ProjectRow>(
        executor,
        `SELECT ${projectColumns} FROM ${projectSource} WHERE p.id = $1 AND ${visibleProject('$2', '$3')}`,
        [id, isAdmin(actor), actor.userId],
      )
    : null
  if (project) return project
  throw notFound('There is no such project. Check the id, or ask its owner to share it with you.')
}

/** Finds a project that the actor owns, or any for an admin. @throws 404 or 403. */
export async function requireOwnProject(
  executor: Transaction,
  actor: Actor,
  id: string,
): Promise<ProjectRow> {
  const project = await findVisible(executor, actor, id)
  requireOwner(actor, project)
  return project
}

/** @throws 403 if somebody who is no admin wants to keep files for longer than the default. */
function requireRetention(actor: Actor, before: ProjectRow, days: number | null | undefined): void {
  // A form sends what an admin has set before.
  if (days == null || days === before.retention_days || isAdmin(actor)) return
  const most = env().GPUQ_RETENTION_DAYS
  if (most === 0 || (days > 0 && days <= most)) return
  throw forbidden(
    `Only admins may keep files for longer than ${most} days, the default. Choose fewer days, or ask an admin.`,
  )
}
