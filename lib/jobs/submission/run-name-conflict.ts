import { type Actor, isAdmin } from '../../access/actor'
import { findProject } from '../../access/projects/submission-project'
import type { JobConfig } from '../../contract/config/config'
import { conflict, type GpuqError } from '../../contract/errors'
import { database } from '../../database/client'
import { findRow } from '../../database/transaction'

/** Returns the error for a run name that an active job of the project has. */
export async function runNameConflict(
  actor: Actor,
  config: Pick<JobConfig, 'project_id' | 'run_name'>,
): Promise<GpuqError> {
  const { pool } = database()
  const project = await findProject(pool, actor.userId, config.project_id)
  const run = await findRow<{ id: string; user_id: string; handle: string }>(
    pool,
    `SELECT j.id, j.user_id, u.handle FROM jobs j JOIN users u ON u.id = j.user_id
      WHERE j.project_id = $1 AND j.run_name = $2 AND j.status IN ('pending', 'scheduled', 'running')`,
    [project?.id, config.run_name],
  )
  if (!run) return conflict(`The run "${config.run_name}" of this project has just ended. Submit again.`)
  // The actor may not see another member's job, so the message names only its owner.
  const whose = run.user_id === actor.userId || isAdmin(actor) ? `job ${run.id}` : `a job of ${run.handle}`
  return conflict(
    `The run "${config.run_name}" of the project "${config.project_id}" is active: ${whose}. Wait until it ends, cancel it, or choose another run_name.`,
  )
}
