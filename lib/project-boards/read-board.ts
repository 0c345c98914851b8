import type { Actor } from '../access/actor'
import { findVisible } from '../access/projects/projects'
import { database } from '../database/client'
import { findRow } from '../database/transaction'
import type { ProjectBoard, ProjectBoardRow } from './contract'

type Settings = Pick<ProjectBoard, 'metric' | 'goal' | 'competition_id'> & ProjectBoard['own']

/** SQL for the members of the project $1 whose jobs may count: where members must agree to what is shown, those who did. */
export const boardMembers = `SELECT p.owner_id AS user_id FROM projects p WHERE p.id = $1
   UNION SELECT m.user_id FROM memberships m JOIN projects p ON p.id = m.project_id
          WHERE m.project_id = $1 AND (p.kind = 'private' OR m.agreed_at IS NOT NULL)`

/** Reads the board of a project that the actor may see. @throws 404 for strangers. */
export async function readProjectBoard(actor: Actor, projectId: string): Promise<ProjectBoard> {
  const { pool } = database()
  const { id } = await findVisible(pool, actor, projectId)
  const settings = await findRow<Settings>(pool, {
    name: 'find-project-board',
    text: `SELECT b.metric, coalesce(b.goal, 'max') AS goal, b.competition_id, n.name, coalesce(n.hidden, false) AS hidden
             FROM projects p LEFT JOIN project_boards b ON b.project_id = p.id
             LEFT JOIN project_board_names n ON n.project_id = p.id AND n.user_id = $2 WHERE p.id = $1`,
    values: [id, actor.userId],
  })
  const { metric = null, goal = 'max', competition_id = null, name = null, hidden = false } = settings ?? {}
  const rows = metric === null ? [] : await readRows(actor, id, { metric, goal, competition_id })
  return { metric, goal, competition_id, self_reported: true, rows, own: { name, hidden } }
}

async function readRows(
  actor: Actor,
  id: string,
  { metric, goal, competition_id }: Omit<Settings, 'name' | 'hidden'>,
): Promise<ProjectBoardRow[]> {
  const { rows } = await database().pool.query<ProjectBoardRow>({
    name: 'read-project-board',
    text: `WITH members AS (${boardMembers}),
                reported AS (SELECT j.user_id, v.value, CASE WHEN $4 THEN v.value ELSE -v.value END AS cost, j.ended_at, j.id
                             FROM jobs j JOIN job_metrics v ON v.job_id = j.id AND v.name = $3
                            WHERE j.project_id = $1 AND j.status = 'completed' AND v.value NOT IN ('NaN', 'Infinity', '-Infinity')
                              AND ($5::text IS NULL OR j.competition_id = $5)),
                best AS (SELECT DISTINCT ON (user_id) *, count(*) OVER (PARTITION BY user_id)::int AS jobs
                           FROM reported ORDER BY user_id, cost, ended_at, id)
           SELECT rank() OVER (ORDER BY b.cost)::int AS rank, coalesce(n.name, u.handle) AS member, b.value, b.jobs,
                  rfc3339(b.ended_at) AS best_at, b.user_id = $2 AS own
             FROM best b JOIN members m ON m.user_id = b.user_id JOIN users u ON u.id = b.user_id
             LEFT JOIN project_board_names n ON n.project_id = $1 AND n.user_id = b.user_id
            WHERE n.hidden IS NOT TRUE ORDER BY b.cost, b.ended_at, lower(coalesce(n.name, u.handle))`,
    values: [id, actor.userId, metric, goal === 'min', competition_id],
  })
  return rows
}
