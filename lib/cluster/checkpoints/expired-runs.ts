import { database } from '../../database/client'

/** Returns the runs whose last job ended longer ago than the project's retention. Ignores names that no job has. */
export async function expiredRunsOf(projectId: string, names: readonly string[]): Promise<string[]> {
  const { rows } = await database().pool.query<{ name: string }>(
    `SELECT j.run_name AS name FROM jobs j JOIN projects p ON p.id = j.project_id
      WHERE p.id = $1 AND p.retention_days IS NOT NULL AND j.run_name = ANY ($2::text[])
      GROUP BY j.run_name, p.retention_days
     HAVING bool_and(j.ended_at IS NOT NULL) AND max(j.ended_at) < now() - make_interval(days => p.retention_days)`,
    [projectId, names],
  )
  return rows.map(({ name }) => name)
}
