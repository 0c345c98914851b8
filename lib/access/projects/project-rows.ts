import type { Project } from '../../contract/access/projects'
import type { Transaction } from '../../database/transaction'
import { env } from '../../env'
import { type Actor, isAdmin } from '../actor'
import { apiLimitsOf } from '../limits'
import { type BytesByKind, bytesByKind, projectQuotaBytes, toStorageUse } from '../storage/storage-use'
import { gpuHoursOf } from './gpu-hours'
import { type Meaning, readMeanings } from './submission-project'

/** A project row with {@link projectColumns}. */
export interface ProjectRow
  extends Omit<
    Project,
    'project_id' | 'default_retention_days' | 'storage' | 'created_at' | 'may_push' | 'means' | 'asks'
  > {
  slug: string
  stored: BytesByKind
  storage_quota_gib: number | null
  owner_id: string
  created_at: Date
}

/** SQL for the runs of the project `p` that several users share, with their owner first. */
const sharedRuns = `coalesce((
  SELECT jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'users', r.users) ORDER BY r.name)
    FROM (SELECT r.id, r.name, f.handle || array_agg(u.handle ORDER BY lower(u.handle)) AS users
            FROM runs r JOIN users f ON f.id = r.user_id JOIN run_users s ON s.run_id = r.id JOIN users u ON u.id = s.user_id
           WHERE r.project_id = p.id GROUP BY r.id, f.handle) r), '[]')`

export const projectColumns = `p.id, p.slug, p.name, p.kind, p.owner_id, o.handle AS owner,
  ARRAY(SELECT u.handle FROM memberships m JOIN users u ON u.id = m.user_id
         WHERE m.project_id = p.id AND m.user_id <> p.owner_id ORDER BY lower(u.handle)) AS members,
  ARRAY(SELECT u.handle FROM memberships m JOIN users u ON u.id = m.user_id
         WHERE m.project_id = p.id AND m.role = 'manager' ORDER BY lower(u.handle)) AS managers,
  ARRAY(SELECT u.handle FROM memberships m JOIN users u ON u.id = m.user_id
         WHERE m.project_id = p.id AND m.may_push ORDER BY lower(u.handle)) AS pushers,
  ARRAY(SELECT u.handle FROM memberships m JOIN users u ON u.id = m.user_id
         WHERE m.project_id = p.id AND m.agreed_at IS NOT NULL ORDER BY lower(u.handle)) AS agreed,
  coalesce((SELECT jsonb_object_agg(u.handle, u.name) FROM users u
             WHERE u.name IS NOT NULL AND (u.id = p.owner_id OR u.id IN (
                     SELECT m.user_id FROM memberships m WHERE m.project_id = p.id))), '{}') AS names,
  ARRAY(SELECT i.handle FROM project_invitations i
         WHERE i.project_id = p.id AND i.expires_at > now() ORDER BY lower(i.handle)) AS invited,
  ${apiLimitsOf('p')},
  jsonb_build_object('weight', p.weight, 'gpu_quota', p.gpu_quota_milli / 1000.0, 'gpu_hour_budget', p.gpu_hour_budget,
    'budget_period', p.budget_period, 'budget_when_used_up', p.budget_when_used_up) AS shares,
  p.owner_gpu_hour_budget, p.share_runs, ${sharedRuns} AS old_shared_runs, p.retention_days, p.storage_quota_gib, (SELECT b.name FROM buckets b WHERE b.id = p.bucket_id) AS bucket,
   ${bytesByKind('project_id', 'p.id')} AS stored, ${gpuHoursOf('p.id')} AS gpu_hours_used, p.created_at`

export const projectSource = 'projects p JOIN users o ON o.id = p.owner_id'

/** SQL condition for the projects a user may see: own and shared ones; all if `all` is true. */
export const visibleProject = (all: string, user: string) =>
  `(${all} OR p.owner_id = ${user}
    OR EXISTS (SELECT 1 FROM memberships m WHERE m.project_id = p.id AND m.user_id = ${user}))`

/** Returns true if the actor may invite and remove the members of a project: its owner, its managers and admins. */
export function managesMembers(actor: Actor, { owner_id, managers }: ProjectRow): boolean {
  return owner_id === actor.userId || managers.includes(actor.handle) || isAdmin(actor)
}

/**
 * Returns true if the actor may push snapshots to a project, and delete those that they pushed. All members read the
 * snapshots, and jobs use the newest version, so members who came by a join link have only the right to read.
 */
export function mayPushSnapshots(actor: Actor, project: ProjectRow): boolean {
  return managesMembers(actor, project) || project.pushers.includes(actor.handle)
}

/** Converts rows to the projects of the API, with what their names mean to the actor. */
export async function toProjects(
  executor: Transaction,
  actor: Actor,
  rows: readonly ProjectRow[],
): Promise<Project[]> {
  const slugs = [...new Set(rows.map(({ slug }) => slug))]
  const meanings = await readMeanings(executor, actor.userId, slugs)
  return rows.map((row) => toProject(actor, row, meanings.get(row.slug)))
}

/** Only those who manage its members see the invitations and who shares runs. */
function toProject(actor: Actor, row: ProjectRow, meaning: Meaning | undefined): Project {
  const { slug, owner_id, stored, storage_quota_gib, created_at, ...project } = row
  const manages = managesMembers(actor, row)
  const belongs = owner_id === actor.userId || project.members.includes(actor.handle)
  return {
    ...project,
    invited: manages ? project.invited : [],
    old_shared_runs: manages ? project.old_shared_runs : [],
    project_id: slug,
    may_push: mayPushSnapshots(actor, row),
    means: meaning?.id === row.id,
    asks: belongs && meaning?.asks === true,
    default_retention_days: env().GPUQ_RETENTION_DAYS,
    storage: toStorageUse(stored, projectQuotaBytes(storage_quota_gib)),
    created_at: created_at.toISOString(),
  }
}
