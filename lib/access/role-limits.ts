import type { z } from 'zod'
import type { ApiLimits, updateLimitsSchema } from '../contract/access/limits'
import { type Role, roles } from '../contract/access/roles'
import { GpuqError } from '../contract/errors'
import { database } from '../database/client'
import { oneRow, type Transaction, transaction } from '../database/transaction'
import { type Actor, requireAdmin } from './actor'
import { recordAudit } from './audit'
import {
  apiLimitsOf,
  assignmentsWithLimits,
  type EffectiveLimits,
  effectiveLimits,
  type Limits,
  limitsOf,
} from './limits'
import { findProject } from './projects/submission-project'

/** Reads the limits of a role. The migrations create a row for each. */
export async function readRoleLimits(executor: Transaction, role: Role): Promise<Limits> {
  const { limits } = await oneRow<{ limits: Limits }>(executor, {
    name: 'role-limits',
    text: `SELECT ${limitsOf('r')} FROM role_limits r WHERE r.role = $1::"Role"`,
    values: [role],
  })
  return limits
}

/** Reads the limits that apply to an actor in a project. */
export async function readEffectiveLimits(
  executor: Transaction,
  actor: Pick<Actor, 'role' | 'limits'>,
  project: Limits,
): Promise<EffectiveLimits> {
  return effectiveLimits(actor, project, await readRoleLimits(executor, actor.role))
}

const noLimits: Limits = { submissionsPerMinute: null, maxActiveJobs: null }

/** The limits of the caller, in one of the caller's projects or in a new one. */
export async function readOwnLimits(actor: Actor, projectSlug: string | undefined): Promise<ApiLimits> {
  const { pool } = database()
  const project = projectSlug === undefined ? null : await findProject(pool, actor, projectSlug)
  const limits = await readEffectiveLimits(pool, actor, project?.limits ?? noLimits)
  const { submissionsPerMinute: submissions_per_minute, maxActiveJobs: max_active_jobs, job } = limits
  return { submissions_per_minute, max_active_jobs, ...job }
}

/** The limits of all roles, for admins. */
export async function listRoleLimits(actor: Actor): Promise<Record<Role, ApiLimits>> {
  requireAdmin(actor)
  const { rows } = await database().pool.query<{ role: Role; limits: ApiLimits }>(
    `SELECT r.role, ${apiLimitsOf('r')} FROM role_limits r`,
  )
  return Object.fromEntries(rows.map(({ role, limits }) => [role, limits])) as Record<Role, ApiLimits>
}

/** @throws 404 for a text that names no role. */
export function roleOf(text: string): Role {
  const role = roles.find((known) => known === text)
  if (role) return role
  throw new GpuqError('not_found', `There is no such role. Use one of ${roles.join(', ')}.`)
}

/** Changes the given limits of a role, for the users and projects that have none of their own. */
export function updateRoleLimits(
  actor: Actor,
  role: Role,
  changes: z.output<typeof updateLimitsSchema>,
): Promise<ApiLimits> {
  requireAdmin(actor)
  return transaction(async (tx) => {
    const set = assignmentsWithLimits({}, changes, 2)
    if (set.list.length > 0) {
      await tx.query(`UPDATE role_limits SET ${set.list.join(', ')} WHERE role = $1::"Role"`, [
        role,
        ...set.values,
      ])
    }
    const detail = { ...changes }
    await recordAudit(tx, { actorId: actor.userId, action: 'role_limits_updated', target: role, detail })
    const select = `SELECT ${apiLimitsOf('r')} FROM role_limits r WHERE r.role = $1::"Role"`
    return (await oneRow<{ limits: ApiLimits }>(tx, select, [role])).limits
  })
}
