import { takeSlot } from '../async/concurrency-limit'
import { rateLimited } from '../contract/errors'
import { isCounter } from '../contract/output/axes'
import { database } from '../database/client'
import { contentDisposition, type Download } from '../jobs/downloads/content-disposition'
import { filesDeleted } from '../jobs/downloads/stored-file'
import type { VisibleJob } from '../jobs/read/job-visibility'
import type { OutputReader } from '../results/reading/output-reader'
import { readOutput } from '../results/reading/read-output'
import { cachingOfOutput, startReading } from '../results/reading/reading-slots'
import { alignTo } from './align'
import type { JobMetrics, MetricSeries, MetricsQuery } from './contract'
import { csvLines } from './csv-lines'
import { downsample } from './downsample'
import { SeriesCache, type TaskOutput } from './series-cache'
import type { SeriesStore } from './series-store'

/** Long output is read in several requests, because an answer must not take a second. */
const budgetMs = 400
/** Several charts of a comparison of the most jobs. */
const requestsPerOwner = 64
const maxListedNames = 1000

const cache = new SeriesCache()

/**
 * Reads the metrics of a job, also while it runs.
 * @param owner the user who reads, or all who read by links of a user. Its requests share slots.
 */
export async function readJobMetrics(
  owner: string,
  job: VisibleJob,
  query: MetricsQuery,
): Promise<JobMetrics> {
  requireOutput(job)
  const release = takeSlot(`metrics of ${owner}`, requestsPerOwner)
  if (!release)
    throw rateLimited(
      'The metrics of too many jobs are being loaded at the same time. Try again in two seconds.',
      2,
    )
  try {
    const task = await findTask(job, query.rank)
    const { store, position } = await cache.read(task, budgetMs)
    return {
      attempt: task.attempt,
      rank: task.rank,
      ...toAnswer(store, query),
      complete: position >= task.bytes,
      progress: task.bytes === 0 ? 1 : Math.min(1, position / task.bytes),
    }
  } finally {
    release()
  }
}

/**
 * All values of some metrics as CSV: one line for each line that the job printed with one of them. A long output needs a slot of
 * its reader.
 * @throws 429 if too many reads of the reader wait.
 */
export async function downloadMetrics(
  reader: OutputReader,
  job: VisibleJob,
  { names, rank }: { names: readonly string[]; rank?: number | undefined },
  { name }: Pick<Download, 'name'>,
): Promise<Response> {
  requireOutput(job)
  const task = await findTask(job, rank)
  const output = readOutput(reader, job.id, task.attempt, 0, task.rank)
  const slot = await startReading(reader, job.id)
  return contentDisposition(
    csvLines(output, names),
    { name, type: 'text/csv; charset=utf-8', mayRead: job.mayRead, onEnd: slot },
    { headers: slot ? cachingOfOutput() : {} },
  )
}

function requireOutput(job: VisibleJob): void {
  if (job.files_deleted !== null) throw filesDeleted(job)
}

/** The task with this rank, or the first that printed a metric. */
async function findTask({ id, attempt }: VisibleJob, rank: number | undefined): Promise<TaskOutput> {
  const { rows } = await database().pool.query<{ rank: number; bytes: number }>(
    `SELECT rank, output_bytes::int8 AS bytes FROM tasks WHERE job_id = $1 AND attempt = $2
      ORDER BY rank = $3 DESC, metrics <> '{}' DESC, rank LIMIT 1`,
    [id, attempt, rank ?? -1],
  )
  const [found = { rank: 0, bytes: 0 }] = rows
  // A rank that the job does not have printed nothing.
  const task = rank === undefined || rank === found.rank ? found : { rank, bytes: 0 }
  return { jobId: id, attempt, ...task }
}

/** The part of the answer that depends only on the series. */
function toAnswer(
  store: SeriesStore,
  query: MetricsQuery,
): Omit<JobMetrics, 'attempt' | 'rank' | 'complete' | 'progress'> {
  const { axes } = store
  const x = axes.find((axis) => axis === query.x) ?? axes[0] ?? 'line'
  const search = query.search?.toLowerCase() ?? ''
  const all = [...store.columns.keys()].filter((name) => name !== x && name.toLowerCase().includes(search))
  const names = [...all.filter((name) => !isCounter(name)), ...all.filter(isCounter)]
  const chosen = query.names ?? names.slice(0, query.limit)
  return {
    x,
    axes,
    lines: store.lines,
    names: names.slice(0, maxListedNames),
    name_count: names.length,
    approximate: store.thinned,
    series: chosen.flatMap((name) => seriesOf(store, name, x, query)),
  }
}

function seriesOf(store: SeriesStore, name: string, axis: string, query: MetricsQuery): MetricSeries[] {
  const column = store.columns.get(name)
  if (!column) return []
  const { count, notFinite, last } = column
  const points = downsample(alignTo(store, name, axis), query.points, query)
  return [{ name, count, not_finite: notFinite, last, ...points }]
}
