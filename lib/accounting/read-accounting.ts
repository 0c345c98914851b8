import { z } from 'zod'
import { type Actor, isAdmin } from '../access/actor'
import { visibleProject } from '../access/projects/project-rows'
import { notFound } from '../contract/errors'
import { findRow, type Transaction, transaction } from '../database/transaction'
import { isShown, managedProjects } from '../jobs/read/job-visibility'
import {
  type Accounting,
  type AccountingQuery,
  type AccountingRow,
  maxAccountingRows,
  type Usage,
} from './contract'
import { type AccountingGroup, rangeOf } from './contract-range'
import { midnight } from './count-days'
import { dailyUsage } from './daily-usage'

/**
 * Adds up what jobs used in a range of days. An admin sees all jobs. Others see their own jobs, and those of the projects that
 * they own or manage, in a class or a team of the members who have agreed to it.
 * @throws 404 for a project that the actor may not see.
 */
export async function readAccounting(actor: Actor, query: AccountingQuery): Promise<Accounting> {
  const [total, ...rows] = await readRows(actor, query, maxAccountingRows)
  if (!total) throw new Error('The query returned no total.')
  return {
    by: query.by,
    ...rangeOf(query),
    rows: rows.map(toRow),
    row_count: total.rowCount,
    total: toUsage(total),
  }
}

/** As {@link readAccounting}, without the total and with all rows. */
export async function readAllRows(actor: Actor, query: AccountingQuery): Promise<AccountingRow[]> {
  return (await readRows(actor, query, null)).slice(1).map(toRow)
}

interface SumsRow {
  group: string
  name: string | null
  project: string | null
  completed: number
  failed: number
  cancelled: number
  gpuS: number
  measuredS: number
  usedS: number
  cpuS: number
  medianWaitS: number | null
  p90WaitS: number | null
  rowCount: number
}

/** For each group: SQL of its key, and of what the key stands for. An empty key is the total. */
const groups: Record<AccountingGroup, { key: string; label: string; join: string }> = {
  user: {
    key: 'user_id',
    label: 'u.handle AS "group", u.name, NULL AS project',
    join: "LEFT JOIN users u ON u.id = nullif(s.key, '')::uuid",
  },
  project: {
    key: 'project_id',
    label: `u.handle || '/' || p.slug AS "group", p.name, p.id AS project`,
    join: "LEFT JOIN projects p ON p.id = nullif(s.key, '')::uuid LEFT JOIN users u ON u.id = p.owner_id",
  },
  competition: {
    key: 'competition_id',
    label: 's.key AS "group", NULL AS name, NULL AS project',
    join: '',
  },
  week: {
    key: "date_trunc('week', day::timestamp)::date",
    label: 's.key AS "group", NULL AS name, NULL AS project',
    join: '',
  },
}

/** The first row is the total. */
function readRows(actor: Actor, query: AccountingQuery, limit: number | null): Promise<SumsRow[]> {
  return transaction(async (tx) => {
    // The counted days and the end of their range must be of the same moment.
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await tx.query('SET LOCAL jit = off')
    if (query.project !== undefined) await requireVisibleProject(tx, actor, query.project)
    const { from, to } = rangeOf(query)
    const range = await findRow<{ live: string; end: string }>(
      tx,
      `SELECT greatest($1::date, least(coalesce((SELECT counted_until FROM accounting_state), $1), $2::date + 1))::text AS live,
              ($2::date + 1)::text AS end`,
      [from, to],
    )
    const values: unknown[] = [from, range?.live, range?.end, query.project ?? null]
    const own = isAdmin(actor) ? 'true' : ownUsage('d', `$${values.push(actor.userId)}`)
    const { key, label, join } = groups[query.by]
    const { rows } = await tx.query<SumsRow>(
      `WITH days AS MATERIALIZED (
         SELECT * FROM (
           SELECT * FROM accounting_days WHERE day >= $1::date AND day < $2::date
           UNION ALL ${dailyUsage(midnight('$2'), midnight('$3'))}
         ) d WHERE ($4::uuid IS NULL OR project_id = $4) AND ${own}
       ), sums AS (
         SELECT coalesce(${key}::text, '') AS key, sum(completed)::int AS completed, sum(failed)::int AS failed,
                sum(cancelled)::int AS cancelled, coalesce(sum(gpu_seconds), 0) AS gpu_s,
                coalesce(sum(measured_gpu_seconds), 0) AS measured_s, coalesce(sum(used_gpu_seconds), 0) AS used_s,
                coalesce(sum(cpu_seconds), 0) AS cpu_s
           FROM days GROUP BY GROUPING SETS ((${key}), ())
       ), waits AS (
         SELECT coalesce(${key}::text, '') AS key,
                percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY wait) AS shares
           FROM days CROSS JOIN LATERAL unnest(waits) wait GROUP BY GROUPING SETS ((${key}), ())
       )
       SELECT ${label}, coalesce(s.completed, 0) AS completed, coalesce(s.failed, 0) AS failed,
              coalesce(s.cancelled, 0) AS cancelled, s.gpu_s AS "gpuS", s.measured_s AS "measuredS", s.used_s AS "usedS",
              s.cpu_s AS "cpuS", w.shares[1] AS "medianWaitS", w.shares[2] AS "p90WaitS",
              (count(*) OVER () - 1)::int AS "rowCount"
         FROM sums s LEFT JOIN waits w ON w.key = s.key ${join}
        ORDER BY s.key = '' DESC, ${query.by === 'week' ? '' : 's.gpu_s DESC, '}s.key LIMIT $${values.push(limit === null ? null : limit + 1)}`,
      values,
    )
    return rows
  })
}

/** SQL condition for usage that a user may see who is not an admin: sums say as much as the jobs of a member who shows none. */
const ownUsage = (of: string, user: string) =>
  `(${of}.user_id = ${user}
    OR ${of}.project_id IN (SELECT id FROM projects WHERE owner_id = ${user} UNION ALL ${managedProjects(user)}) AND ${isShown(of)})`

async function requireVisibleProject(tx: Transaction, actor: Actor, id: string): Promise<void> {
  const found =
    z.uuid().safeParse(id).success &&
    (await findRow(tx, `SELECT 1 FROM projects p WHERE p.id = $1 AND ${visibleProject('$2', '$3')}`, [
      id,
      isAdmin(actor),
      actor.userId,
    ]))
  if (!found) throw notFound('There is no such project. Check the id, or ask its owner to share it with you.')
}

function toRow({ group, name, project, ...sums }: SumsRow): AccountingRow {
  return { group, name, project, ...toUsage(sums) }
}

function toUsage(sums: Omit<SumsRow, 'group' | 'name' | 'project'>): Usage {
  const { completed, failed, cancelled, gpuS, measuredS, usedS, cpuS } = sums
  return {
    completed,
    failed,
    cancelled,
    gpu_hours: gpuS / 3600,
    measured_gpu_hours: measuredS / 3600,
    used_gpu_hours: usedS / 3600,
    idle_gpu_hours: Math.max(0, measuredS - usedS) / 3600,
    efficiency: measuredS > 0 ? usedS / measuredS : null,
    cpu_hours: cpuS / 3600,
    median_wait_s: sums.medianWaitS,
    p90_wait_s: sums.p90WaitS,
  }
}
