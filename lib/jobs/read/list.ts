import { type Actor, isAdmin, requireAdmin } from '../../access/actor'
import type { JobFilters, JobSummary } from '../../contract/jobs'
import { fromUploadStatus, type JobStatus, toUploadStatus } from '../../contract/status'
import { database } from '../../database/client'
import { cutPage, decodeTimeCursor, type Page } from '../../database/pagination'
import { requireUserId } from './job-visibility'

interface JobRow {
  id: string
  name: string | null
  status: JobStatus
  reason: string | null
  handle: string
  competition_id: string
  project: string
  environment: string
  node: number | null
  exit_code: number | null
  expected_time_s: number
  terminal: boolean
  created_at: Date
  started_at: Date | null
  ended_at: Date | null
}

/** The columns of a {@link JobSummary}; the keyset on (created_at, id) runs along an index for each set of filters. */
export const summaryColumns = `
  j.id, j.name, j.status, j.reason, u.handle, j.competition_id, p.slug AS project, e.name AS environment,
  (SELECT n.number FROM tasks t JOIN nodes n ON n.id = t.node_id
    WHERE t.job_id = j.id AND t.attempt = j.attempt AND t.rank = 0) AS node,
  j.exit_code, j.expected_time_s, coalesce(j.spec->'tty' = 'true', false) AS terminal, j.created_at, j.started_at, j.ended_at`

export const summaryJoins = `
  JOIN users u ON u.id = j.user_id JOIN projects p ON p.id = j.project_id JOIN environments e ON e.id = j.environment_id`

/** Jobs the actor may see, newest first. */
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
  const after = decodeTimeCursor(filters.cursor)
  if (after.at) where.push(`(j.created_at, j.id) < (${bind(after.at)}::timestamptz, ${bind(after.id)}::uuid)`)
  const { rows } = await database().pool.query<JobRow>(
    `SELECT ${summaryColumns} FROM jobs j ${summaryJoins}
      ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
      ORDER BY j.created_at DESC, j.id DESC LIMIT ${bind(filters.limit + 1)}`,
    values,
  )
  return cutPage(rows, filters.limit, ({ created_at, id }) => [created_at.toISOString(), id], toSummary)
}

/** One stored status is an index's prefix; several are not. */
function statusFilter(statuses: JobStatus[], bind: (value: unknown) => string): string {
  const [only] = statuses
  return statuses.length === 1
    ? `j.status = ${bind(only)}`
    : `j.status = ANY (${bind(statuses)}::"JobStatus"[])`
}

export function toSummary(row: JobRow): JobSummary {
  return {
    job_id: row.id,
    name: row.name,
    status: toUploadStatus(row.status),
    reason: row.reason,
    user_id: row.handle,
    competition_id: row.competition_id,
    project_id: row.project,
    environment: row.environment,
    node_id: row.node,
    exit_code: row.exit_code,
    expected_time: row.expected_time_s,
    terminal: row.terminal,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.ended_at?.toISOString() ?? null,
  }
}

export type { JobRow }
