import { type Actor, isAdmin, requireAdmin } from '../../access/actor'
import type { JobFilters } from '../../contract/job-queries'
import type { JobSummary } from '../../contract/jobs'
import { fromUploadStatus, type JobStatus, toUploadStatus } from '../../contract/status'
import { database } from '../../database/client'
import { datesToText, type WithDates } from '../../database/dates'
import { cutPage, decodeTimeCursor, type Page } from '../../database/pagination'
import { metricsOfAttempt } from '../../results/metrics'
import { requireUserId } from './job-visibility'

/** A row with {@link summaryColumns}: a {@link JobSummary} with the status and the times of the database. */
export interface SummaryRow
  extends Omit<WithDates<JobSummary, 'created_at' | 'started_at' | 'completed_at'>, 'status'> {
  status: JobStatus
}

/** The metrics of a job's last attempt. While its output is not a file yet, they are those of its tasks. */
const metricsColumn = `CASE WHEN j.result_stored THEN j.final_metrics ELSE coalesce((${metricsOfAttempt}), '{}') END`

/** The order by (created_at, id) uses an index for each combination of filters. */
export const summaryColumns = `
  j.id AS job_id, j.name, j.status, j.reason, u.handle AS user_id, u.name AS user_name, j.competition_id,
  p.slug AS project_id, e.name AS environment, placement.node_id, placement.node_name,
  j.exit_code, j.expected_time_s AS expected_time, coalesce(j.spec->'tty' = 'true', false) AS terminal,
  j.tags, j.starred, ${metricsColumn} AS metrics,
  j.created_at, j.started_at, j.ended_at AS completed_at`

export const summaryJoins = `
  JOIN users u ON u.id = j.user_id JOIN projects p ON p.id = j.project_id JOIN environments e ON e.id = j.environment_id
    LEFT JOIN LATERAL (
      SELECT n.number AS node_id, n.name AS node_name FROM tasks t JOIN nodes n ON n.id = t.node_id
       WHERE t.job_id = j.id AND t.attempt = j.attempt AND t.rank = 0) placement ON true`

/** Lists jobs that the actor may see, the latest first. */
export async function listJobs(actor: Actor, filters: JobFilters): Promise<Page<JobSummary>> {
  requireUserId(actor, filters.user_id)
  if (filters.all) requireAdmin(actor)
  const where: string[] = []
  const values: unknown[] = []
  const bind = (value: unknown) => `$${values.push(value)}`
  if (filters.user_id && isAdmin(actor)) {
    where.push(`j.user_id = (SELECT id FROM users WHERE lower(handle) = lower(${bind(filters.user_id)}))`)
  } else if (!filters.all) where.push(`j.user_id = ${bind(actor.userId)}`)
  if (filters.status) where.push(statusFilter(fromUploadStatus(filters.status), bind))
  if (filters.competition_id) where.push(`j.competition_id = ${bind(filters.competition_id)}`)
  if (filters.project_id) where.push(`p.slug = ${bind(filters.project_id)}`)
  // The second condition allows the use of an index of the jobs with tags.
  if (filters.tag) where.push(`j.tags @> ARRAY[${bind(filters.tag)}]::text[] AND j.tags <> '{}'`)
  if (filters.starred) where.push('j.starred')
  const after = decodeTimeCursor(filters.cursor)
  if (after.at) where.push(`(j.created_at, j.id) < (${bind(after.at)}::timestamptz, ${bind(after.id)}::uuid)`)
  const { rows } = await database().pool.query<SummaryRow>(
    `SELECT ${summaryColumns} FROM jobs j ${summaryJoins}
      ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
      ORDER BY j.created_at DESC, j.id DESC LIMIT ${bind(filters.limit + 1)}`,
    values,
  )
  return cutPage(rows, filters.limit, (row) => [row.created_at.toISOString(), row.job_id], toSummary)
}

/** A single status allows the use of an index's prefix. */
function statusFilter(statuses: JobStatus[], bind: (value: unknown) => string): string {
  const [only] = statuses
  return statuses.length === 1
    ? `j.status = ${bind(only)}`
    : `j.status = ANY (${bind(statuses)}::"JobStatus"[])`
}

export function toSummary(row: SummaryRow): JobSummary {
  return { ...datesToText(row), status: toUploadStatus(row.status) }
}
