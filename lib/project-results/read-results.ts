import { type Actor, isAdmin } from '../access/actor'
import { findVisible } from '../access/projects/projects'
import { takeSlot } from '../async/concurrency-limit'
import { parseSpec, type Unparsed } from '../contract/config/stored-spec'
import { rateLimited } from '../contract/errors'
import { isCounter } from '../contract/output/axes'
import { database } from '../database/client'
import { indexedTransaction } from '../database/transaction'
import { findJobs } from '../jobs/read/find-jobs'
import { listVisibility, mayChange } from '../jobs/read/job-visibility'
import { searchTerms, summaryJoins, toSummary } from '../jobs/read/list'
import { type Bind, toConditions } from '../jobs/read/search-conditions'
import { toOrder } from '../jobs/read/sort-order'
import { type Grouped, groupKeys } from '../metrics/contract-group-key'
import type { ResultRow, Results, ResultsQuery } from './contract'
import { defaultResultMetrics, maxResultJobs, maxResultNames } from './contract-columns'
import { chosenMetrics, groupedOf, groupOf, type ResultJob, resultColumnsOf } from './result-jobs'

/** One answer reads the configs of 300 jobs, which may have 20 MB. A page needs one answer at a time. */
const requestsPerUser = 8
/** Longer keys do not fit into an address. */
const maxKeyCharacters = 200

/**
 * Reads the newest jobs of a project that the actor may see, with the last values of metrics.
 * @throws 404 if the actor may not see the project, and 429 if they read too many results at the same time.
 */
export async function readResults(actor: Actor, projectId: string, query: ResultsQuery): Promise<Results> {
  const { id } = await findVisible(database().pool, actor, projectId)
  const release = takeSlot(`results of ${actor.userId}`, requestsPerUser)
  if (!release)
    throw rateLimited('Too many results are being loaded at the same time. Try again in two seconds.', 2)
  try {
    return await readProject(actor, id, query)
  } finally {
    release()
  }
}

async function readProject(actor: Actor, id: string, query: ResultsQuery): Promise<Results> {
  const found = await findResultJobs(actor, id, query)
  const jobs = found.slice(0, maxResultJobs)
  const names = metricNames(jobs)
  const metrics = query.metrics ?? names.slice(0, defaultResultMetrics)
  const grouped = jobs.map((job) => groupedOf(job, mayChange(actor, { userId: job.owner_id })))
  const by = query.group_by
  return {
    rows: jobs.map((job, at) => toRow(job, metrics, by === undefined ? undefined : grouped[at], by)),
    more: found.length > maxResultJobs,
    metrics: [...new Set(metrics)],
    metric_names: names.slice(0, maxResultNames),
    group_keys: groupKeys(grouped)
      .filter((key) => key.length <= maxKeyCharacters)
      .slice(0, maxResultNames),
  }
}

async function findResultJobs(
  actor: Actor,
  projectId: string,
  { q, pictures }: ResultsQuery,
): Promise<ResultJob[]> {
  const values: unknown[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  const searched = await toConditions(actor, searchTerms(q), bind)
  if (searched === null) return []
  const inProject = { sql: `j.project_id = ${bind(projectId)}::uuid`, ordered: 'alone' as const }
  const visible = isAdmin(actor) ? [] : [{ sql: await listVisibility(actor, bind) }]
  const conditions = [inProject, ...visible, ...searched]
  const order = toOrder(undefined, undefined, bind)
  const wanted = { order, limit: maxResultJobs + 1, values, sorted: true }
  return indexedTransaction((tx) =>
    findJobs(tx, { scope: [], conditions, values }, wanted, async (page) => {
      const { rows } = await tx.query<Unparsed<ResultJob>>(
        `SELECT ${resultColumnsOf(pictures)} FROM (${page}) page JOIN jobs j ON j.id = page.id ${summaryJoins}
          ORDER BY page.key DESC, page.id DESC`,
        values,
      )
      return rows.map((row): ResultJob => parseSpec(row))
    }),
  )
}

/** The names of all metrics: first those that most jobs have, and counters such as `step` last. */
function metricNames(jobs: readonly ResultJob[]): string[] {
  const counts = new Map<string, number>()
  for (const { metrics } of jobs)
    for (const name of Object.keys(metrics)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .toSorted(
      ([one, few], [other, many]) =>
        Number(isCounter(one)) - Number(isCounter(other)) ||
        many - few ||
        one.localeCompare(other, 'en', { numeric: true }),
    )
    .map(([name]) => name)
}

function toRow(
  job: ResultJob,
  metrics: readonly string[],
  grouped: Grouped | undefined,
  by: string | undefined,
): ResultRow {
  const { job_id, name, status, user_id, user_name, tags, created_at, started_at, completed_at } =
    toSummary(job)
  return {
    job_id,
    name,
    status,
    user_id,
    user_name,
    tags,
    created_at,
    started_at,
    completed_at,
    metrics: chosenMetrics(job, metrics),
    group: grouped && by !== undefined ? groupOf(grouped, by) : null,
    pictures: job.pictures,
  }
}
