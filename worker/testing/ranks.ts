import type { CheckedLab } from './truth'

export interface RankRow {
  rank: number
  attempt: number
  node: string
  status: string
  reason: string | null
  ready: boolean
  output: number
}

/** The tasks of the job's last attempt. */
export async function ranksOf(lab: Pick<CheckedLab<unknown>, 'database'>, job: string): Promise<RankRow[]> {
  const { rows } = await lab.database.pool.query<RankRow>(
    `SELECT t.rank, t.attempt, n.name AS node, t.status, t.reason, t.ready_at IS NOT NULL AS ready, t.output_bytes::int AS output
       FROM tasks t JOIN nodes n ON n.id = t.node_id JOIN jobs j ON j.id = t.job_id
      WHERE j.id = $1 AND t.attempt = j.attempt ORDER BY t.rank`,
    [job],
  )
  return rows
}
