import { z } from 'zod'
import { type Actor, isAdmin } from '../../access/actor'
import type { FilesDeletion } from '../../contract/artifacts'
import { forbidden, notFound } from '../../contract/errors'
import type { JobStatus } from '../../contract/status'
import { database } from '../../database/client'
import { findRow } from '../../database/transaction'

/** SQL condition for the jobs that an actor may see: their own, or for an admin all. Only this function decides it. */
export function visibilityFilter(actor: Actor): { sql: string; values: unknown[] } {
  return isAdmin(actor) ? { sql: 'true', values: [] } : { sql: 'j.user_id = $1', values: [actor.userId] }
}

/** A job that the actor may see. */
export interface VisibleJob extends FilesDeletion {
  id: string
  userId: string
  status: JobStatus
  attempt: number
}

const noSuchJob = () => notFound('You have no job with this id. GET /api/jobs lists your jobs.')

/** Finds a job that the actor may see. @throws 404, the same for an unknown job and for another user's. */
export async function findVisibleJob(actor: Actor, jobId: string): Promise<VisibleJob> {
  if (!z.uuid().safeParse(jobId).success) throw noSuchJob()
  const { sql, values } = visibilityFilter(actor)
  const job = await findRow<VisibleJob>(
    database().pool,
    `SELECT j.id, j.user_id AS "userId", j.status, j.attempt, j.files_deleted, j.deleted_after_days FROM jobs j
      WHERE ${sql} AND j.id = $${values.length + 1}`,
    [...values, jobId],
  )
  if (!job) throw noSuchJob()
  return job
}

/**
 * Checks `?user_id=` of the upload API: the caller, or for an admin any user.
 * @throws 403 otherwise.
 */
export function requireUserId(actor: Actor, userId: string | undefined): void {
  if (userId === undefined || userId.toLowerCase() === actor.handle.toLowerCase() || isAdmin(actor)) return
  throw forbidden('Token does not belong to specified user_id')
}
