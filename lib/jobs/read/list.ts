import { type Actor, isAdmin, requireAdmin } from '../../access/actor'
import { invalidField } from '../../contract/errors'
import type { JobCount, JobCountQuery, JobFilters } from '../../contract/job-queries'
import type { JobSummary } from '../../contract/jobs'
import { maxCountedJobs } from '../../contract/jobs-together'
import { reasonText } from '../../contract/reasons'
import { filtersToTerms } from '../../contract/search/format-search'
import { parseSearch, type SearchTerm } from '../../contract/search/parse-search'
import { describeSearchProblem } from '../../contract/search/search-reader'
import { activeFirst } from '../../contract/search/sort'
import { type JobStatus, toUploadStatus } from '../../contract/status'
import { datesToText, type WithDates } from '../../database/dates'
import { cutPage, type Page } from '../../database/pagination'
import { indexedTransaction, type Transaction } from '../../database/transaction'
import { metricsOfJob } from '../../results/metrics'
import { findJobs, type JobQuery } from './find-jobs'
import { isManager, listVisibility, ownJobs, requireUserId } from './job-visibility'
import { toParts } from './list-parts'
import { type Bind, toConditions } from './search-conditions'
import { type Order, type Sorted, toOrder } from './sort-order'

/** A row with {@link summaryColumns}: a {@link JobSummary} with the status and the times of the database. */
export interface SummaryRow
  extends Omit<WithDates<JobSummary, 'created_at' | 'started_at' | 'completed_at'>, 'status'> {
  status: JobStatus
}

type ListedRow = SummaryRow & Sorted & { reason_detail: string | null }

/** SQL for the stored metrics of a job. While its output is not a file yet, they are those of its tasks. */
export const storedMetrics = `CASE WHEN j.result_stored THEN j.final_metrics ELSE coalesce((${metricsOfJob}), '{}') END`

/** SQL for the metrics of a job whose last value was finite. */
export const metricsColumn = `jsonb_strip_nulls(${storedMetrics})`

/** SQL for the token with which the job or the group `j` was submitted. */
export const submittedWith = `(SELECT jsonb_build_object('token_id', k.id, 'name', k.name) FROM api_tokens k WHERE k.id = j.token_id) AS submitted_with`

/** SQL for how many jobs and groups follow a job or a group, where `isCounted` is true of `fj`, the job that follows it. */
const countFollowers = (alias: string, tokenId: string, isCounted: string) =>
  `CASE WHEN ${tokenId}::uuid IS NULL
        THEN (SELECT count(*)::int FROM experiments f LEFT JOIN jobs fj ON fj.id = f.job_id WHERE f.parent_id = ${alias}.id AND ${isCounted})
        ELSE (SELECT count(*)::int FROM experiments f LEFT JOIN jobs fj ON fj.id = f.job_id LEFT JOIN job_groups fg ON fg.id = f.group_id
               WHERE f.parent_id = ${alias}.id AND ${isCounted} AND coalesce(fj.token_id, fg.token_id) = ${tokenId}) END`

/**
 * SQL for how many jobs and groups follow a job or a group. They have the same user and project. Members of a group do not follow it.
 * @param tokenId SQL of the token of an agent, which sees only what it submitted; its value null: all count.
 */
export const followersOf = (alias: string, tokenId: string) =>
  countFollowers(alias, tokenId, `fj.group_id IS DISTINCT FROM ${alias}.id`)

/** The same for the tree of experiments, where members with a hypothesis of their own are below their group. */
export const followersInTree = (alias: string, tokenId: string) => countFollowers(alias, tokenId, 'true')

export const summaryColumns = `
  j.id AS job_id, j.name, j.status, j.reason, u.handle AS user_id, u.name AS user_name, j.competition_id,
  p.slug AS project_id, e.name AS environment, placement.node_id, placement.node_name,
  j.exit_code, j.expected_time_s AS expected_time, coalesce(j.spec->'tty' = 'true', false) AS terminal,
  requested_gpus(j.spec) AS requested_gpus, j.priority, j.tags, j.starred, ${metricsColumn} AS metrics,
  j.created_at, j.started_at, j.ended_at AS completed_at`

export const summaryJoins = `
  JOIN users u ON u.id = j.user_id JOIN projects p ON p.id = j.project_id JOIN environments e ON e.id = j.environment_id
    LEFT JOIN LATERAL (
      SELECT n.number AS node_id, n.name AS node_name FROM tasks t JOIN nodes n ON n.id = t.node_id
       WHERE t.job_id = j.id AND t.attempt = j.attempt AND t.rank = 0
             -- A job that waits for its next attempt is not on the nodes of the previous one.
             AND j.status <> 'pending') placement ON true`

/** Lists jobs that the actor may see, the latest first unless another order is requested. */
export async function listJobs(actor: Actor, filters: JobFilters): Promise<Page<JobSummary>> {
  const query = await toJobQuery(actor, filters)
  if (query === null) return { items: [], next: null }
  const parts = toParts(filters.sort, filters.cursor)
  // The parts are read from one snapshot, so that a job whose status changes meanwhile is in exactly one of them.
  const listed = await indexedTransaction(async (tx) => {
    const rows: { row: ListedRow; order: Order }[] = []
    for (const part of parts) {
      const limit = filters.limit + 1 - rows.length
      if (limit === 0) break
      const values = [...query.values]
      const order = part.toOrder((value) => `$${values.push(value)}`)
      const conditions = part.condition ? [part.condition, ...query.conditions] : query.conditions
      const wanted = { order, limit, values, sorted: true }
      const select = (page: string) => selectPage(tx, page, order.direction, values)
      const found = await findJobs(tx, { ...query, conditions }, wanted, select)
      rows.push(...found.map((row) => ({ row, order })))
    }
    return rows
  })
  return cutPage(
    listed,
    filters.limit,
    ({ row, order }) => order.cursorOf(row),
    ({ row }) => toListed(row),
  )
}

/** Counts the jobs of a list, up to a limit. */
export async function countJobs(actor: Actor, filters: JobCountQuery): Promise<JobCount> {
  const query = await toJobQuery(actor, filters)
  if (query === null) return { jobs: 0, more: false }
  const values = [...query.values]
  const sort = filters.sort === activeFirst ? undefined : filters.sort
  const order = toOrder(sort, undefined, (value) => `$${values.push(value)}`)
  const found = await indexedTransaction((tx) =>
    findJobs(tx, query, { order, limit: maxCountedJobs + 1, values, sorted: false }, async (jobs) => {
      const { rows } = await tx.query(`SELECT 1 FROM (${jobs}) found`, values)
      return rows
    }),
  )
  return { jobs: Math.min(found.length, maxCountedJobs), more: found.length > maxCountedJobs }
}

/** Reads which jobs a list has. Null: no job can be in it. */
async function toJobQuery(actor: Actor, filters: JobCountQuery): Promise<JobQuery | null> {
  if (filters.all) requireAdmin(actor)
  if (filters.user_id !== undefined && !(await isManager(actor))) requireUserId(actor, filters.user_id)
  const terms = readTerms(filters)
  const values: unknown[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  const conditions = await toConditions(actor, terms, bind)
  if (conditions === null) return null
  const { group } = filters
  conditions.push({ sql: group === undefined ? 'j.group_id IS NULL' : `j.group_id = ${bind(group)}::uuid` })
  // Named users' jobs replace the actor's own.
  const others = filters.all || terms.some(({ key }) => key === 'user')
  const scope = others ? [] : [ownJobs(actor, bind)]
  if (others && !isAdmin(actor)) conditions.push({ sql: await listVisibility(actor, bind) })
  return { scope, conditions, values }
}

/** The terms of the search, and those of the parameters that mean the same. */
function readTerms(filters: JobCountQuery): SearchTerm[] {
  return [...filtersToTerms(filters), ...searchTerms(filters.q)]
}

/** The terms of a search. @throws 422 for a mistake in it. */
export function searchTerms(q = ''): readonly SearchTerm[] {
  const parsed = parseSearch(q)
  if (!parsed.ok) throw invalidField('q', describeSearchProblem(parsed.problem))
  return parsed.terms
}

async function selectPage(
  tx: Transaction,
  page: string,
  direction: string,
  values: unknown[],
): Promise<ListedRow[]> {
  const { rows } = await tx.query<ListedRow>(
    `SELECT ${summaryColumns}, j.reason_detail, page.key AS sort_key FROM (${page}) page JOIN jobs j ON j.id = page.id ${summaryJoins}
      ORDER BY page.key ${direction}, page.id ${direction}`,
    values,
  )
  return rows
}

/** The row as the API has it: the status and the times as text. */
export function toSummary<Row extends SummaryRow>(row: Row) {
  return { ...datesToText(row), status: toUploadStatus(row.status) }
}

function toListed({ sort_key, reason_detail, ...row }: ListedRow): JobSummary {
  return { ...toSummary(row), reason_text: reasonText({ ...row, reason_detail }) }
}
