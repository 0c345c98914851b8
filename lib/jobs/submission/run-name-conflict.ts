import { type Actor, isAdmin } from '../../access/actor'
import { findProject } from '../../access/projects/submission-project'
import type { JobConfig } from '../../contract/config/config'
import { GpuqError } from '../../contract/errors'
import { database } from '../../database/client'

/** What a submission is told whose run name a live job of its project has. */
export async function runNameConflict(
  actor: Actor,
  config: Pick<JobConfig, 'project_id' | 'run_name'>,
): Promise<GpuqError> {
  const { pool } = database()
  const project = await findProject(pool, actor.userId, config.project_id)
  const { rows } = await pool.query<{ id: string; user_id: string; handle: string }>(
    `SELECT j.id, j.user_id, u.handle FROM jobs j JOIN users u ON u.id = j.user_id
      WHERE j.project_id = $1 AND j.run_name = $2 AND j.status IN ('pending', 'scheduled', 'running')`,
    [project?.id, config.run_name],
  )
  const [run] = rows
  if (!run)
    return new GpuqError(
      'conflict',
      `A run "${config.run_name}" of this project ended this moment. Submit again.`,
    )
  // A job of another member is not one's own to look at; its run name is the project's.
  const whose = run.user_id === actor.userId || isAdmin(actor) ? `job ${run.id}` : `a job of ${run.handle}`
  return new GpuqError(
    'conflict',
    `The run "${config.run_name}" of the project "${config.project_id}" is alive: ${whose}. Wait for its end, cancel it, or choose another run_name.`,
  )
}
