import { type Actor, isAdmin } from '../access/actor'
import { allocatedHours, always } from '../access/projects/gpu-hours'
import { findManagedClass } from '../access/projects/managed-class'
import { type JobStatus, toUploadStatus } from '../contract/status'
import { database } from '../database/client'
import { visibilityFilter } from '../jobs/read/job-visibility'
import type { Participant, Participants, ParticipantsQuery } from './contract'

interface Row extends Omit<Participant, 'last_job'> {
  last_job: (Omit<NonNullable<Participant['last_job']>, 'status'> & { status: JobStatus }) | null
}

const maxMetricNames = 200

/**
 * Reads the members of a class with what the actor sees of their jobs in it: the number, the last one, the GPU hours, and the best
 * value of a metric. Jobs of members who have not agreed are seen by admins only.
 * @throws 404, 403 or 409 unless the actor manages the class.
 */
export async function readParticipants(
  actor: Actor,
  classId: string,
  { metric, best }: ParticipantsQuery,
): Promise<Participants> {
  const { pool } = database()
  const { id, owner_id } = await findManagedClass(pool, actor, classId)
  const visible = visibilityFilter(actor, 4)
  const seen = `SELECT j.id, j.user_id, j.name, j.status, j.created_at FROM jobs j WHERE j.project_id = $1 AND ${visible.sql}`
  const { rows } = await pool.query<Row>(
    `WITH seen AS MATERIALIZED (${seen}),
          counted AS (SELECT user_id, count(*)::int AS jobs FROM seen GROUP BY user_id),
          latest AS (SELECT DISTINCT ON (user_id) user_id, jsonb_build_object('job_id', id, 'name', name, 'status', status,
                            'created_at', rfc3339(created_at)) AS job
                       FROM seen ORDER BY user_id, created_at DESC, id DESC),
          hours AS (SELECT s.user_id, ${allocatedHours('a', always)} AS gpu_hours
                      FROM seen s JOIN tasks t ON t.job_id = s.id JOIN allocations a ON a.task_id = t.id GROUP BY s.user_id),
          best AS (SELECT DISTINCT ON (s.user_id) s.user_id, jsonb_build_object('job_id', s.id, 'value', v.value) AS found
                     FROM seen s JOIN job_metrics v ON v.job_id = s.id AND v.name = $3
                    WHERE v.value NOT IN ('NaN', 'Infinity', '-Infinity')
                    ORDER BY s.user_id, v.value ${best === 'lowest' ? 'ASC' : 'DESC'}, s.created_at, s.id)
     SELECT u.handle AS user_id, u.name, m.role = 'manager' AS manager, m.agreed_at IS NOT NULL AS agreed,
            coalesce(c.jobs, shown.none) AS jobs, coalesce(h.gpu_hours, shown.none) AS gpu_hours,
            l.job AS last_job, b.found AS best
       FROM memberships m JOIN users u ON u.id = m.user_id
       CROSS JOIN LATERAL (SELECT CASE WHEN m.agreed_at IS NOT NULL OR ${isAdmin(actor)} THEN 0 END AS none) shown
       LEFT JOIN counted c ON c.user_id = u.id LEFT JOIN latest l ON l.user_id = u.id
       LEFT JOIN hours h ON h.user_id = u.id LEFT JOIN best b ON b.user_id = u.id
      WHERE m.project_id = $1 AND u.id <> $2 ORDER BY lower(u.handle)`,
    [id, owner_id, metric ?? null, ...visible.values],
  )
  const ofNames = visibilityFilter(actor, 2)
  const { rows: names } = await pool.query<{ name: string }>(
    `SELECT DISTINCT v.name FROM jobs j JOIN job_metrics v ON v.job_id = j.id
      WHERE j.project_id = $1 AND ${ofNames.sql} ORDER BY v.name LIMIT ${maxMetricNames}`,
    [id, ...ofNames.values],
  )
  return { participants: rows.map(toParticipant), metrics: names.map(({ name }) => name) }
}

function toParticipant({ last_job, ...row }: Row): Participant {
  return { ...row, last_job: last_job && { ...last_job, status: toUploadStatus(last_job.status) } }
}
