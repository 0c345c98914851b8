import { z } from 'zod'
import { type Actor, isAdmin } from '../../access/actor'
import { GpuqError } from '../../contract/errors'
import type { JobStatus } from '../../contract/status'
import { database } from '../../database/client'

/** The one place that decides which jobs an actor may see: their own; an admin's are everyone's. */
export function visibilityFilter(actor: Actor): { sql: string; values: unknown[] } {
  return isAdmin(actor) ? { sql: 'true', values: [] } : { sql: 'j.user_id = $1', values: [actor.userId] }
}

/** A job that the actor may see, as the queries behind it need it. */
export interface VisibleJob {
  id: string
  userId: string
  status: JobStatus
  attempt: number
}

const noSuchJob = () =>
  new GpuqError(
    'not_found',
    'There is no job with this id among yours. Look at /api/jobs for the ones there are.',
  )

const uuid = z.uuid()

/** Finds a job that the actor may see. Another's job and one that never was are the same 404. */
export async function findVisibleJob(actor: Actor, jobId: string): Promise<VisibleJob> {
  if (!uuid.safeParse(jobId).success) throw noSuchJob()
  const { sql, values } = visibilityFilter(actor)
  const { rows } = await database().pool.query<VisibleJob>(
    `SELECT j.id, j.user_id AS "userId", j.status, j.attempt FROM jobs j
      WHERE ${sql} AND j.id = $${values.length + 1}`,
    [...values, jobId],
  )
  if (!rows[0]) throw noSuchJob()
  return rows[0]
}

/**
 * The upload API's `?user_id=`: names the caller, or for an admin any user.
 * @throws 403 when it is somebody else.
 */
export function requireUserId(actor: Actor, userId: string | undefined): void {
  if (userId === undefined || userId.toLowerCase() === actor.handle.toLowerCase() || isAdmin(actor)) return
  throw new GpuqError('forbidden', 'Token does not belong to specified user_id')
}
