import { database } from '../../database/client'

/** A task by its attempt and rank. */
export interface StepTask {
  jobId: string
  attempt: number
  rank: number
}

/** Returns the exit codes for the steps of those of the given tasks that have ended: 0 only if the task completed. */
export async function readEndedTasks(tasks: readonly StepTask[]): Promise<(StepTask & { code: number })[]> {
  if (tasks.length === 0) return []
  const { rows } = await database().pool.query<StepTask & { code: number }>({
    name: 'slurm-ended-tasks',
    text: `SELECT t.job_id AS "jobId", t.attempt, t.rank,
                  CASE WHEN t.status = 'completed' THEN 0 WHEN t.exit_code BETWEEN 1 AND 255 THEN t.exit_code ELSE 1 END AS code
             FROM unnest($1::uuid[], $2::int[], $3::int[]) AS w (job_id, attempt, rank) JOIN tasks t USING (job_id, attempt, rank)
            WHERE t.status NOT IN ('scheduled', 'starting', 'running')`,
    values: [
      tasks.map(({ jobId }) => jobId),
      tasks.map(({ attempt }) => attempt),
      tasks.map(({ rank }) => rank),
    ],
  })
  return rows
}

/**
 * Returns the live tasks of a node that Slurm started more than `seconds` ago. Without those of suspended jobs, whose stopped
 * batch scripts cannot connect to a new worker.
 */
export async function findStepless(
  nodeId: string,
  seconds: number,
): Promise<(StepTask & { rowId: string; slurmId: number })[]> {
  const { rows } = await database().pool.query<StepTask & { rowId: string; slurmId: number }>({
    name: 'slurm-live-tasks',
    text: `SELECT t.job_id AS "jobId", t.attempt, t.rank, s.id AS "rowId", s.slurm_id AS "slurmId"
             FROM tasks t JOIN slurm_jobs s ON s.job_id = t.job_id AND s.attempt = t.attempt AND s.ended_at IS NULL
            WHERE t.node_id = $1 AND t.status IN ('starting', 'running') AND t.created_at < now() - make_interval(secs => $2)
              AND s.state IS DISTINCT FROM 'SUSPENDED'`,
    values: [nodeId, seconds],
  })
  return rows
}
