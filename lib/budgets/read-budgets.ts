import type { Actor } from '../access/actor'
import { allocatedHours } from '../access/projects/gpu-hours'
import { visibleProject } from '../access/projects/project-rows'
import { findVisible } from '../access/projects/projects'
import { isReached, reachOf } from '../access/restriction'
import { database } from '../database/client'
import { findVisibleJob } from '../jobs/read/job-visibility'
import { type Budget, describeBudget } from './contract'

type BudgetRow = Omit<Budget, 'label' | 'resets_at' | 'left_gpu_hours' | 'when_used_up' | 'sentence'> & {
  until: Date | null
  stops: boolean
}

/** The column of a job with the owner of its budget. */
const owners = { user: 'user_id', project: 'project_id', token: 'token_id', group: 'group_id' } as const

const columns = Object.values(owners).join(', ')

/**
 * SQL that reads budgets with what is used of them: the only place that adds it up. All attempts count, with the GPUs that they hold or
 * held, from the beginning of the period on.
 * @param condition SQL for which budgets `b`.
 */
const budgetsWhere = (condition: string) => `
  SELECT b.kind::text AS kind, b.owner_id, b.gpu_hours, b.period::text AS period, b.until, b.stops, used.used_gpu_hours, used.gpus,
         CASE b.kind
           WHEN 'user' THEN (SELECT handle FROM users WHERE id = b.owner_id)
           WHEN 'project' THEN (SELECT o.handle || '/' || p.slug FROM projects p JOIN users o ON o.id = p.owner_id WHERE p.id = b.owner_id)
           WHEN 'token' THEN (SELECT name FROM api_tokens WHERE id = b.owner_id)
           ELSE (SELECT coalesce(name, kind::text) FROM job_groups WHERE id = b.owner_id) END AS name
    FROM budgets b CROSS JOIN LATERAL (
      SELECT ${allocatedHours('a', 'b.since')} AS used_gpu_hours,
             (coalesce(sum(a.milli) FILTER (WHERE a.released_at IS NULL), 0) / 1000.0)::float8 AS gpus
        FROM (${Object.entries(owners)
          .map(([kind, column]) => `SELECT id FROM jobs WHERE b.kind = '${kind}' AND ${column} = b.owner_id`)
          .join(' UNION ALL ')}) j
        JOIN tasks t ON t.job_id = j.id JOIN allocations a ON a.task_id = t.id
       WHERE a.released_at IS NULL OR a.released_at > b.since
    ) used
   WHERE ${condition} ORDER BY b.kind, b.owner_id, b.period`

/**
 * Reads the budgets whose use can change: of jobs that are alive or ended a minute ago, and those that were used up, until they are
 * closed.
 */
export async function readLiveBudgets(): Promise<Budget[]> {
  const { rows } = await database().pool.query<BudgetRow>({
    name: 'live-budgets',
    text: `WITH live AS (
             SELECT DISTINCT owners.* FROM (
               SELECT ${columns} FROM jobs WHERE status IN ('pending', 'scheduled', 'running')
               UNION ALL SELECT ${columns} FROM jobs WHERE status = 'completed' AND ended_at > now() - interval '1 minute'
               UNION ALL SELECT ${columns} FROM jobs WHERE status IN ('failed', 'cancelled') AND ended_at > now() - interval '1 minute'
             ) owners WHERE EXISTS (SELECT 1 FROM budgets)
           )
           ${budgetsWhere(`b.owner_id IN (${Object.values(owners)
             .map((column) => `SELECT ${column} FROM live`)
             .join(' UNION ALL ')})
             OR (NOT b.closed AND b.owner_id IN (SELECT owner_id FROM used_up_budgets))`)}`,
  })
  return rows.map(toBudget)
}

/** Reads the budget of a group; null: it has none. */
export async function readGroupBudget(groupId: string): Promise<Budget | null> {
  const { rows } = await database().pool.query<BudgetRow>({
    name: 'budget-of-group',
    text: budgetsWhere(`b.kind = 'group' AND b.owner_id = $1`),
    values: [groupId],
  })
  return rows.map(toBudget)[0] ?? null
}

/**
 * Reads the budgets that apply to the actor: of the user, of projects that the user is in, of the token of the request, otherwise of all
 * tokens of the user, and of groups that have not ended.
 */
export async function listBudgets({ userId, tokenId, restriction }: Actor): Promise<Budget[]> {
  const { rows } = await database().pool.query<BudgetRow>({
    name: 'budgets-of-actor',
    text: budgetsWhere(`NOT b.closed AND b.owner_id IN (
            SELECT $1::uuid
            UNION ALL SELECT p.id FROM projects p WHERE ${visibleProject('false', '$1')} AND ($3::uuid[] IS NULL OR p.id = ANY ($3))
            UNION ALL SELECT id FROM api_tokens WHERE user_id = $1 AND ($2::uuid IS NULL OR id = $2)
            UNION ALL SELECT g.id FROM job_groups g WHERE g.user_id = $1 AND g.ended_at IS NULL AND ${isReached('g', '$3', '$4')})`),
    values: [userId, tokenId, ...reachOf(restriction)],
  })
  return rows.map(toBudget)
}

/** Reads the budgets of a job. @throws 404 */
export async function listJobBudgets(actor: Actor, jobId: string): Promise<Budget[]> {
  const { id } = await findVisibleJob(actor, jobId)
  const { rows } = await database().pool.query<BudgetRow>({
    name: 'budgets-of-job',
    text: budgetsWhere(
      `EXISTS (SELECT 1 FROM jobs j WHERE j.id = $1 AND b.owner_id IN (${Object.values(owners)
        .map((column) => `j.${column}`)
        .join(', ')}))`,
    ),
    values: [id],
  })
  return rows.map(toBudget)
}

/** Reads the budget of a project. @throws 404 */
export async function listProjectBudgets(actor: Actor, projectId: string): Promise<Budget[]> {
  const { pool } = database()
  const { id } = await findVisible(pool, actor, projectId)
  const { rows } = await pool.query<BudgetRow>({
    name: 'budgets-of-project',
    text: budgetsWhere(`b.kind = 'project' AND b.owner_id = $1`),
    values: [id],
  })
  return rows.map(toBudget)
}

const kindNames = { user: 'User', project: 'Project', token: 'Token', group: 'Group' } as const

function toBudget({ until, stops, ...row }: BudgetRow): Budget {
  const budget = { ...row, resets_at: until?.toISOString() ?? null }
  return {
    ...budget,
    label: `${kindNames[row.kind]} ${row.name}`,
    left_gpu_hours: Math.max(0, row.gpu_hours - row.used_gpu_hours),
    when_used_up: stops ? 'stop' : 'wait',
    sentence: describeBudget(budget),
  }
}
