import { type Actor, isAdmin } from '../../access/actor'
import { findProject, type Submitter } from '../../access/projects/submission-project'
import { reaches } from '../../access/restriction'
import type { JobConfig } from '../../contract/config/config'
import { conflict, type GpuqError } from '../../contract/errors'
import { type JobStatus, toUploadStatus } from '../../contract/status'
import { database } from '../../database/client'
import { findRow, type Transaction } from '../../database/transaction'
import { findRun } from './resolve-run'

/**
 * Refuses the name of a job of the user that has not ended. Call it under the lock on the user's row: without it, two
 * concurrent submissions would both find the name unused.
 * @throws 409 with the id of that job. A restricted token is told only the ids of jobs that it reaches.
 */
export async function requireUnusedName(
  tx: Transaction,
  { userId, restriction }: Submitter,
  name: string | undefined,
): Promise<void> {
  const live = await findRow<{ id: string; status: JobStatus; project_id: string; token_id: string | null }>(
    tx,
    {
      name: 'live-job-of-name',
      text: `SELECT id, status, project_id, token_id FROM jobs
            WHERE user_id = $1 AND name = $2 AND status IN ('pending', 'scheduled', 'running')
            ORDER BY created_at DESC, id DESC LIMIT 1`,
      values: [userId, name],
    },
  )
  if (!live) return
  if (!reaches(restriction, live))
    throw conflict(
      `The name "${name}" is used by another job of this user, which this token does not see. Use another name.`,
    )
  throw conflict(
    `The name "${name}" is used by your job ${live.id}, which has not ended. Use another name, or stop that job first.`,
    { jobs: [{ job_id: live.id, name: name ?? null, status: toUploadStatus(live.status) }] },
  )
}

/** Returns the error for a run name whose run has an active job. */
export async function runNameConflict(
  actor: Actor,
  { project_id, run_name = '' }: Pick<JobConfig, 'project_id' | 'run_name'>,
): Promise<GpuqError> {
  const { pool, prisma } = database()
  const project = await findProject(pool, actor, project_id)
  const run = project && (await findRun(pool, { ...actor, projectId: project.id }, run_name))
  const job =
    run &&
    (await prisma.job.findFirst({
      where: { namedRunId: run.id, status: { in: ['pending', 'scheduled', 'running'] } },
      select: { id: true, name: true, status: true, userId: true, user: { select: { handle: true } } },
    }))
  if (!job) return conflict(`The run "${run_name}" of this project has just ended. Submit again.`)
  // The actor may not see another member's job, so the message names only its owner.
  const isVisible = job.userId === actor.userId || isAdmin(actor)
  const whose = isVisible ? `job ${job.id}` : `a job of ${job.user.handle}`
  const blocking = { job_id: job.id, name: job.name, status: toUploadStatus(job.status) }
  return conflict(
    `The run "${run_name}" of the project "${project_id}" is active: ${whose}. Wait until it ends, cancel it, or choose another run_name.`,
    isVisible ? { jobs: [blocking] } : {},
  )
}
