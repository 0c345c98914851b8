import { type Actor, isAdmin, requireAdmin } from '../../access/actor'
import { invalidField } from '../../contract/errors'
import type { JobFilters } from '../../contract/job-queries'
import type { JobSummary } from '../../contract/jobs'
import { reasonText } from '../../contract/reasons'
import { filtersToTerms } from '../../contract/search/format-search'
import { parseSearch, type SearchTerm } from '../../contract/search/parse-search'
import { describeSearchProblem } from '../../contract/search/search-reader'
import { type JobStatus, toUploadStatus } from '../../contract/status'
import { database } from '../../database/client'
import { datesToText, type WithDates } from '../../database/dates'
import { cutPage, type Page } from '../../database/pagination'
import { indexedTransaction, oneRow, type Transaction } from '../../database/transaction'
import { metricsOfAttempt } from '../../results/metrics'
import { isManager, listVisibility, ownJobs, requireUserId } from './job-visibility'
import { type Bind, type Condition, toConditions } from './search-conditions'
import { type Order, type Sorted, toOrder } from './sort-order'

/** A row with {@link summaryColumns}: a {@link JobSummary} with the status and the times of the database. */
export interface SummaryRow
  extends Omit<WithDates<JobSummary, 'created_at' | 'started_at' | 'completed_at'>, 'status'> {
  status: JobStatus
}

type ListedRow = SummaryRow & Sorted & { reason_detail: string | null }

/** The metrics of a job's last attempt. While its output is not a file yet, they are those of its tasks. */
const metricsColumn = `CASE WHEN j.result_stored THEN j.final_metrics ELSE coalesce((${metricsOfAttempt}), '{}') END`

export const summaryColumns = `
  j.id AS job_id, j.name, j.status, j.reason, u.handle AS user_id, u.name AS user_name, j.competition_id,
  p.slug AS project_id, e.name AS environment, placement.node_id, placement.node_name,
  j.exit_code, j.expected_time_s AS expected_time, coalesce(j.spec->'tty' = 'true', false) AS terminal,
  requested_gpus(j.spec) AS requested_gpus, j.tags, j.starred, ${metricsColumn} AS metrics,
  j.created_at, j.started_at, j.ended_at AS completed_at`

export const summaryJoins = `
  JOIN users u ON u.id = j.user_id JOIN projects p ON p.id = j.project_id JOIN environments e ON e.id = j.environment_id
    LEFT JOIN LATERAL (
      SELECT n.number AS node_id, n.name AS node_name FROM tasks t JOIN nodes n ON n.id = t.node_id
       WHERE t.job_id = j.id AND t.attempt = j.attempt AND t.rank = 0) placement ON true`

/** Lists jobs that the actor may see, the latest first unless another order is requested. */
export async function listJobs(actor: Actor, filters: JobFilters): Promise<Page<JobSummary>> {
  if (filters.all) requireAdmin(actor)
  if (filters.user_id !== undefined && !(await isManager(actor))) requireUserId(actor, filters.user_id)
  const terms = readTerms(filters)
  const values: unknown[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  const conditions = await toConditions(actor, terms, bind)
  if (conditions === null) return { items: [], next: null }
  const order = toOrder(filters.sort, filters.cursor, bind)
  // Named users' jobs replace the actor's own.
  const others = filters.all || terms.some(({ key }) => key === 'user')
  const scope = others ? [] : [ownJobs(actor, bind)]
  if (others && !isAdmin(actor)) conditions.push({ sql: await listVisibility(actor, bind) })
  const rows = await readRows({ scope, conditions, order, limit: filters.limit + 1 }, values)
  return cutPage(rows, filters.limit, order.cursorOf, toListed)
}

/** The terms of the search, and those of the parameters that mean the same. */
function readTerms(filters: JobFilters): SearchTerm[] {
  const parsed = parseSearch(filters.q ?? '')
  if (!parsed.ok) throw invalidField('q', describeSearchProblem(parsed.problem))
  return [...filtersToTerms(filters), ...parsed.terms]
}

interface PageQuery {
  /** Conditions of the list itself. */
  scope: string[]
  conditions: readonly Condition[]
  order: Order
  limit: number
}

/** So many jobs are examined one by one in the order of the list: within some milliseconds. */
const walkedJobs = 5_000

/** So many jobs are found by the indexes of conditions, and checked and sorted: within some milliseconds. */
const foundJobs = 5_000

/**
 * Reads the rows of a page. Where an index has the jobs in the order of the list, reading ends with the page. Otherwise, if few jobs
 * meet the conditions, these are found by the indexes of the conditions, and sorted. If many do, the page is soon full with the next jobs
 * of the list that meet them. PostgreSQL's own choice between both ways was often wrong, and then it read all jobs.
 */
async function readRows(
  { scope, conditions, order, limit }: PageQuery,
  values: unknown[],
): Promise<ListedRow[]> {
  const { walk, find, direction, newest } = order
  const sorted = (rows: number) => `ORDER BY key ${direction}, id ${direction} LIMIT ${rows}`
  const select = (tx: Transaction, page: string) => selectPage(tx, page, direction, values)

  const alone = conditions.find(({ ordered }) => ordered === 'alone')
  const isInOrder = (condition: Condition) =>
    newest && (condition === alone || condition.ordered === 'together')
  const inOrder = [...(newest ? scope : []), ...conditions.filter(isInOrder).map(({ sql }) => sql)]
  const others = [
    ...(newest ? [] : scope),
    ...conditions.filter((condition) => !isInOrder(condition)).map(({ sql }) => sql),
  ]
  const next = (columns: string) =>
    `SELECT ${columns}, ${walk.key} AS key FROM ${walk.from} ${whereOf([...walk.where, ...inOrder])}`
  if (others.length === 0) return select(database().pool, `${next('j.id')} ${sorted(limit)}`)

  const every = [...find.where, ...scope, ...conditions.map(({ sql }) => sql)]
  const matching = (more: string[] = []) =>
    `SELECT j.id, ${find.key} AS key FROM ${find.from} ${whereOf([...every, ...more])}`
  // Without MATERIALIZED, PostgreSQL may look for the rows in the order of the list.
  const thenSort = (jobs: string) =>
    `found AS MATERIALIZED (${jobs}) SELECT id, key FROM found ${sorted(limit)}`
  return indexedTransaction(async (tx) => {
    const fewest = await findFewest(tx, conditions)
    const selectFewest = ({ ids, count }: Counted) => {
      // The limit tells PostgreSQL how many there are. Some may have come since they were counted.
      const few = `${ids((value) => `$${values.push(value)}`)} LIMIT ${2 * count + 10}`
      const jobs = matching(['j.id IN (SELECT id FROM few)'])
      return select(tx, `WITH few AS MATERIALIZED (${few}), ${thenSort(jobs)}`)
    }
    if (fewest && fewest.count <= foundJobs) return selectFewest(fewest)
    const [inList, matched] = await estimateRows(tx, [next('j.id'), matching()], values)
    // Half a page is enough: the estimates are rather too low, and a full page ends the reading early.
    if ((walkedJobs * matched) / inList > limit / 2) {
      const walked = `SELECT j.id, j.key FROM (${next('j.*')} ${sorted(walkedJobs)}) j ${whereOf(others)} ${sorted(limit)}`
      const rows = await select(tx, walked)
      if (rows.length === limit) return rows
    }
    const onlyMetrics = conditions.every(({ ids }) => ids)
    if (fewest && onlyMetrics && fewest.count < countedJobs) return selectFewest(fewest)
    // PostgreSQL underestimates what it costs to read a whole index in another order. Bitmaps read each page of the table once.
    await tx.query('SET LOCAL enable_indexscan = off')
    return select(tx, `WITH ${thenSort(matching())}`)
  })
}

/** PostgreSQL's estimates of the numbers of rows of two queries. */
async function estimateRows(
  tx: Transaction,
  [first, second]: [string, string],
  values: unknown[],
): Promise<[number, number]> {
  const { rows } = await tx.query<{ 'QUERY PLAN': [{ Plan: { Plans: { 'Plan Rows': number }[] } }] }>(
    `EXPLAIN (FORMAT JSON) ${first} UNION ALL ${second}`,
    values,
  )
  const [one, other] = rows[0]?.['QUERY PLAN'][0].Plan.Plans ?? []
  return [one?.['Plan Rows'] ?? 0, other?.['Plan Rows'] ?? 0]
}

/** A condition on a metric, and how many jobs meet it, up to a limit. */
interface Counted {
  ids: NonNullable<Condition['ids']>
  count: number
}

/** So many jobs that meet a condition on a metric are counted, by the index alone: within some milliseconds. */
const countedJobs = 4 * foundJobs

/**
 * Finds the condition on a metric that the fewest jobs meet, with the SQL of their ids. PostgreSQL's estimates for metrics are often
 * wrong by a factor of a hundred, so the jobs are counted up to a limit.
 */
async function findFewest(tx: Transaction, conditions: readonly Condition[]): Promise<Counted | undefined> {
  const metrics = conditions.flatMap(({ ids }) => ids ?? [])
  if (metrics.length === 0) return undefined
  const values: unknown[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  const counts = metrics.map(
    (ids) => `(SELECT count(*)::int FROM (${ids(bind)} LIMIT ${countedJobs}) AS counted)`,
  )
  const { counted } = await oneRow<{ counted: number[] }>(tx, {
    text: `SELECT ARRAY[${counts.join(', ')}] AS counted`,
    values,
  })
  return metrics
    .map((ids, place) => ({ ids, count: counted[place] ?? 0 }))
    .sort((a, b) => a.count - b.count)[0]
}

const whereOf = (conditions: string[]) => (conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '')

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

export function toSummary(row: SummaryRow): JobSummary {
  return { ...datesToText(row), status: toUploadStatus(row.status) }
}

function toListed({ sort_key, reason_detail, ...row }: ListedRow): JobSummary {
  return { ...toSummary(row), reason_text: reasonText({ ...row, reason_detail }) }
}
