import type { Actor } from '../access/actor'
import { visibleProject } from '../access/projects/project-rows'
import { findVisible } from '../access/projects/projects'
import { isReached, reachOf } from '../access/restriction'
import { database } from '../database/client'
import { findVisibleJob } from '../jobs/read/job-visibility'
import { type Budget, describeBudget } from './contract'
import { owners, ownersOf, readUses, type Use } from './read-use'

type BudgetRow = Pick<Budget, 'kind' | 'owner_id' | 'name' | 'gpu_hours' | 'period'> & {
  since: string
  until: Date | null
  stops: boolean
}

const columns = Object.values(owners).join(', ')

/**
 * Reads budgets with what is used of them.
 * @param condition SQL for which budgets `b`.
 * @param before SQL of what the condition reads from.
 */
async function readBudgets(
  name: string,
  condition: string,
  values: unknown[] = [],
  before = '',
): Promise<Budget[]> {
  const { rows } = await database().pool.query<BudgetRow>({
    name,
    text: `${before}
           SELECT b.kind::text AS kind, b.owner_id, b.gpu_hours, b.period::text AS period, b.since::text AS since, b.until, b.stops,
                  CASE b.kind
                    WHEN 'user' THEN (SELECT handle FROM users WHERE id = b.owner_id)
                    WHEN 'project' THEN (SELECT o.handle || '/' || p.slug FROM projects p JOIN users o ON o.id = p.owner_id WHERE p.id = b.owner_id)
                    WHEN 'token' THEN (SELECT name FROM api_tokens WHERE id = b.owner_id)
                    ELSE (SELECT coalesce(name, kind::text) FROM job_groups WHERE id = b.owner_id) END AS name
             FROM budgets b WHERE ${condition} ORDER BY b.kind, b.owner_id, b.period`,
    values,
  })
  const uses = await readUses(rows)
  return rows.map((row, index) => toBudget(row, uses[index] ?? { used_gpu_hours: 0, gpus: 0 }))
}

/**
 * Reads the budgets whose use can change: of jobs that are alive or ended a minute ago, and those that were used up, until they are
 * closed.
 */
export async function readLiveBudgets(): Promise<Budget[]> {
  return readBudgets(
    'live-budgets',
    `b.owner_id = ANY (ARRAY(SELECT owner_id FROM live UNION SELECT owner_id FROM used_up_budgets))
     AND (NOT b.closed OR b.owner_id IN (SELECT owner_id FROM live))`,
    [],
    `WITH live AS (
       SELECT DISTINCT o.owner_id FROM (
         SELECT ${columns} FROM jobs WHERE status IN ('pending', 'scheduled', 'running')
         UNION ALL SELECT ${columns} FROM jobs WHERE status = 'completed' AND ended_at > now() - interval '1 minute'
         UNION ALL SELECT ${columns} FROM jobs WHERE status IN ('failed', 'cancelled') AND ended_at > now() - interval '1 minute'
       ) j CROSS JOIN LATERAL ${ownersOf('j')} WHERE EXISTS (SELECT 1 FROM budgets)
     )`,
  )
}

/** Reads the budget of a group; null: it has none. */
export async function readGroupBudget(groupId: string): Promise<Budget | null> {
  const [budget] = await readBudgets('budget-of-group', `b.kind = 'group' AND b.owner_id = $1`, [groupId])
  return budget ?? null
}

/**
 * Reads the budgets that apply to the actor: of the user, of projects that the user is in, of the tokens of the user's agents, and of
 * groups that have not ended. The token of an agent sees only its own.
 */
export async function listBudgets({ userId, restriction }: Actor): Promise<Budget[]> {
  return readBudgets(
    'budgets-of-actor',
    `NOT b.closed AND b.owner_id IN (
            SELECT $1::uuid
            UNION ALL SELECT p.id FROM projects p WHERE ${visibleProject('false', '$1')} AND ($2::uuid[] IS NULL OR p.id = ANY ($2))
            UNION ALL SELECT id FROM api_tokens WHERE user_id = $1 AND ($3::uuid IS NULL OR id = $3)
            UNION ALL SELECT g.id FROM job_groups g WHERE g.user_id = $1 AND g.ended_at IS NULL AND ${isReached('g', '$2', '$3')})`,
    [userId, ...reachOf(restriction)],
  )
}

/** Reads the budgets of a job. @throws 404 */
export async function listJobBudgets(actor: Actor, jobId: string): Promise<Budget[]> {
  const { id } = await findVisibleJob(actor, jobId)
  return readBudgets(
    'budgets-of-job',
    `EXISTS (SELECT 1 FROM jobs j WHERE j.id = $1 AND b.owner_id IN (${Object.values(owners)
      .map((column) => `j.${column}`)
      .join(', ')}))`,
    [id],
  )
}

/** Reads the budget of a project. @throws 404 */
export async function listProjectBudgets(actor: Actor, projectId: string): Promise<Budget[]> {
  const { pool } = database()
  const { id } = await findVisible(pool, actor, projectId)
  return readBudgets('budgets-of-project', `b.kind = 'project' AND b.owner_id = $1`, [id])
}

const kindNames = { user: 'User', project: 'Project', token: 'Token', group: 'Group' } as const

function toBudget({ since: _, until, stops, ...row }: BudgetRow, use: Use): Budget {
  const budget = { ...row, ...use, resets_at: until?.toISOString() ?? null }
  return {
    ...budget,
    label: `${kindNames[row.kind]} ${row.name}`,
    left_gpu_hours: Math.max(0, row.gpu_hours - use.used_gpu_hours),
    when_used_up: stops ? 'stop' : 'wait',
    sentence: describeBudget(budget),
  }
}
