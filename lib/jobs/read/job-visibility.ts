import { z } from 'zod'
import { type Actor, isAdmin } from '../../access/actor'
import { renewActor } from '../../access/credential-validity'
import { isReached, reachOf } from '../../access/restriction'
import { forbidden, notFound } from '../../contract/errors'
import type { FilesDeletion } from '../../contract/job-files'
import type { JobStatus } from '../../contract/status'
import { database } from '../../database/client'

/**
 * SQL for the ids of the projects whose members' jobs a user sees: as a manager of a class or of a project without a kind of its
 * own, or as the owner of a class or a team.
 */
export const managedProjects = (user: string) =>
  `SELECT m.project_id FROM memberships m JOIN projects mp ON mp.id = m.project_id
    WHERE m.user_id = ${user} AND m.role = 'manager' AND mp.kind <> 'team'
   UNION ALL SELECT op.id FROM projects op WHERE op.owner_id = ${user} AND op.kind <> 'private'`

/**
 * SQL condition for whether a user shows their jobs in a project to its managers: in a class or a team, who has agreed to it.
 * @param of the alias of a row with the columns `user_id` and `project_id`.
 */
export const isShown = (of: string) =>
  `EXISTS (SELECT 1 FROM projects sp LEFT JOIN memberships sm ON sm.project_id = sp.id AND sm.user_id = ${of}.user_id
     WHERE sp.id = ${of}.project_id AND (sp.kind = 'private' OR sm.agreed_at IS NOT NULL))`

/** SQL condition for the jobs that a user may see: their own, and those that members show in projects that they manage. */
const seenBy = (user: string, managed: string) =>
  `(j.user_id = ${user} OR j.project_id ${managed} AND ${isShown('j')})`

/** The same for a restricted token: only the jobs of its user that it reaches. */
const seenByRestricted = (user: string, projectIds: string, tokenId: string) =>
  `(j.user_id = ${user} AND ${isReached('j', projectIds, tokenId)})`

/**
 * SQL condition for the jobs that an actor may see: for an admin all, otherwise their own and those that members show in projects
 * that they manage. Only this file decides it.
 * @param first number of the first parameter
 */
export function visibilityFilter(actor: Actor, first = 1): { sql: string; values: unknown[] } {
  if (isAdmin(actor)) return { sql: 'true', values: [] }
  const user = `$${first}::uuid`
  const { userId, restriction } = actor
  if (restriction !== null) {
    const sql = seenByRestricted(user, `$${first + 1}`, `$${first + 2}`)
    return { sql, values: [userId, ...reachOf(restriction)] }
  }
  return { sql: seenBy(user, `IN (${managedProjects(user)})`), values: [userId] }
}

/** The same condition as {@link visibilityFilter}, with SQL for the actor's id, and for whether the actor is an admin. */
export const visibleTo = (user: string, admin: string): string =>
  `(${admin} OR ${seenBy(user, `IN (${managedProjects(user)})`)})`

/**
 * The same condition as {@link visibilityFilter}, for lists. The ids of the projects are read first: only then can
 * PostgreSQL use the indexes of users and of projects.
 */
export async function listVisibility(actor: Actor, bind: (value: unknown) => string): Promise<string> {
  if (isAdmin(actor)) return 'true'
  if (actor.restriction !== null) return ownJobs(actor, bind)
  const { rows } = await database().pool.query<{ project_id: string }>(managedProjects('$1'), [actor.userId])
  const ids = rows.map(({ project_id }) => project_id)
  const own = bind(actor.userId)
  return ids.length === 0 ? `j.user_id = ${own}` : seenBy(own, `= ANY (${bind(ids)}::uuid[])`)
}

/** SQL condition for the actor's own jobs, as far as the credential may see them. */
export function ownJobs({ userId, restriction }: Actor, bind: (value: unknown) => string): string {
  const own = bind(userId)
  if (restriction === null) return `j.user_id = ${own}`
  const [projectIds, tokenId] = reachOf(restriction)
  return seenByRestricted(own, bind(projectIds), bind(tokenId))
}

/** Returns true if the actor manages a project. */
export async function isManager(actor: Actor): Promise<boolean> {
  if (actor.restriction !== null) return false
  const { rowCount } = await database().pool.query(
    `SELECT 1 FROM (${managedProjects('$1')}) managed LIMIT 1`,
    [actor.userId],
  )
  return rowCount === 1
}

/** A job that the actor may see. */
export interface VisibleJob extends FilesDeletion {
  id: string
  userId: string
  status: JobStatus
  attempt: number
  /**
   * Whether the actor may still see it: their credential is valid, and they have not lost the role of an admin, or of a manager
   * of its project. For answers that last.
   */
  mayRead: () => Promise<boolean>
}

type JobRow = Omit<VisibleJob, 'mayRead'>

const noSuchJob = () => notFound('You have no job with this id. GET /api/jobs lists your jobs.')

async function findSeen(actor: Actor, jobIds: readonly string[]): Promise<JobRow[]> {
  const { sql, values } = visibilityFilter(actor)
  const { rows } = await database().pool.query<JobRow>(
    `SELECT j.id, j.user_id AS "userId", j.status, j.attempt, j.files_deleted, j.deleted_after_days FROM jobs j
      WHERE ${sql} AND j.id = ANY ($${values.length + 1}::uuid[])`,
    [...values, jobIds],
  )
  return rows
}

const withRight = (actor: Actor, job: JobRow): VisibleJob => ({ ...job, mayRead: () => maySee(actor, job) })

/** Finds a job that the actor may see. @throws 404, the same for an unknown job and for another user's. */
export async function findVisibleJob(actor: Actor, jobId: string): Promise<VisibleJob> {
  const [job] = z.uuid().safeParse(jobId).success ? await findSeen(actor, [jobId]) : []
  if (!job) throw noSuchJob()
  return withRight(actor, job)
}

/** Finds those of some jobs that the actor may see, in any order. */
export async function findVisibleJobs(actor: Actor, jobIds: readonly string[]): Promise<VisibleJob[]> {
  return (await findSeen(actor, jobIds)).map((job) => withRight(actor, job))
}

async function maySee(actor: Actor, { id, userId }: JobRow): Promise<boolean> {
  const current = await renewActor(actor)
  if (current === null) return false
  // A job stays in its project, and its user stays the same.
  return userId === actor.userId || (await findSeen(current, [id])).length > 0
}

/**
 * Returns true if the actor may change a job that they see, and see the values of its variables: its owner and admins. A manager
 * only reads and cancels, and so does a restricted token: a manager may have made and kept that of a class.
 */
export function mayChange(actor: Actor, { userId }: Pick<VisibleJob, 'userId'>): boolean {
  return actor.restriction === null && (userId === actor.userId || isAdmin(actor))
}

/** Finds a job that the actor may change. @throws 404 if they may not see it, 403 if they may only read it. */
export async function findChangeableJob(actor: Actor, jobId: string): Promise<VisibleJob> {
  const job = await findVisibleJob(actor, jobId)
  if (mayChange(actor, job)) return job
  throw forbidden(
    'You manage the project of this job, so you may read and cancel it. Only its owner and admins may do this.',
  )
}

/**
 * Checks `?user_id=` of the upload API: the caller, or for an admin any user.
 * @throws 403 otherwise.
 */
export function requireUserId(actor: Actor, userId: string | undefined): void {
  if (userId === undefined || userId.toLowerCase() === actor.handle.toLowerCase() || isAdmin(actor)) return
  throw forbidden('Token does not belong to specified user_id')
}
