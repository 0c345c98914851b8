import type { Project } from '../../contract/access'
import { gpuHoursOf } from './gpu-hours'

/** A project row with {@link projectColumns}. */
export interface ProjectRow {
  id: string
  slug: string
  name: string | null
  owner_id: string
  owner: string
  members: string[]
  submissions_per_minute: number | null
  max_active_jobs: number | null
  weight: number
  gpu_quota_milli: number | null
  gpu_hour_budget: number | null
  gpu_hours_used: number
  retention_days: number | null
  created_at: Date
}

export const projectColumns = `p.id, p.slug, p.name, p.owner_id, o.handle AS owner,
  ARRAY(SELECT u.handle FROM memberships m JOIN users u ON u.id = m.user_id
         WHERE m.project_id = p.id ORDER BY lower(u.handle)) AS members,
  p.submissions_per_minute, p.max_active_jobs, p.weight, p.gpu_quota_milli, p.gpu_hour_budget, p.retention_days,
  ${gpuHoursOf('p.id')} AS gpu_hours_used, p.created_at`

export const projectSource = 'projects p JOIN users o ON o.id = p.owner_id'

/** SQL condition for the projects a user may see: own and shared ones; all if `all` is true. */
export const visibleProject = (all: string, user: string) =>
  `(${all} OR p.owner_id = ${user}
    OR EXISTS (SELECT 1 FROM memberships m WHERE m.project_id = p.id AND m.user_id = ${user}))`

/** Converts a row to the project of the API. */
export function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    project_id: row.slug,
    name: row.name,
    owner: row.owner,
    members: row.members,
    limits: { submissions_per_minute: row.submissions_per_minute, max_active_jobs: row.max_active_jobs },
    shares: {
      weight: row.weight,
      gpu_quota: row.gpu_quota_milli === null ? null : row.gpu_quota_milli / 1000,
      gpu_hour_budget: row.gpu_hour_budget,
    },
    retention_days: row.retention_days,
    gpu_hours_used: row.gpu_hours_used,
    created_at: row.created_at.toISOString(),
  }
}
