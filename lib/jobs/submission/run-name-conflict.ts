import { type Actor, isAdmin } from '../../access/actor'
import { findProject } from '../../access/projects/submission-project'
import type { JobConfig } from '../../contract/config/config'
import { conflict, type GpuqError } from '../../contract/errors'
import { type JobStatus, toUploadStatus } from '../../contract/status'
import { database } from '../../database/client'
import { findRow } from '../../database/transaction'
import { findRun } from './resolve-run'

/** Returns the error for a run name whose run has an active job. */
export async function runNameConflict(
  actor: Actor,
  { project_id, run_name = '' }: Pick<JobConfig, 'project_id' | 'run_name'>,
): Promise<GpuqError> {
  const { pool } = database()
  const project = await findProject(pool, actor, project_id)
  const run = project && (await findRun(pool, { ...actor, projectId: project.id }, run_name))
  const job =
    run &&
    (await findRow<{ id: string; name: string | null; status: JobStatus; user_id: string; handle: string }>(
      pool,
      `SELECT j.id, j.name, j.status, j.user_id, u.handle FROM jobs j JOIN users u ON u.id = j.user_id
        WHERE j.named_run_id = $1 AND j.status IN ('pending', 'scheduled', 'running')`,
      [run.id],
    ))
  if (!job) return conflict(`The run "${run_name}" of this project has just ended. Submit again.`)
  // The actor may not see another member's job, so the message names only its owner.
  const isVisible = job.user_id === actor.userId || isAdmin(actor)
  const whose = isVisible ? `job ${job.id}` : `a job of ${job.handle}`
  const blocking = { job_id: job.id, name: job.name, status: toUploadStatus(job.status) }
  return conflict(
    `The run "${run_name}" of the project "${project_id}" is active: ${whose}. Wait until it ends, cancel it, or choose another run_name.`,
    isVisible ? { jobs: [blocking] } : {},
  )
}
