import { invalidRequest } from '@/lib/contract/errors'
import type { JobSummary } from '@/lib/contract/jobs'
import { parseSearch } from '@/lib/contract/search/parse-search'
import { describeSearchProblem } from '@/lib/contract/search/search-reader'
import type { UploadStatus } from '@/lib/contract/status'
import { type Context, printList } from '../context'
import { readPages } from '../job/read-pages'
import { formatRunTime, formatWhen, statusColours } from '../terminal/format'
import type { Column } from '../terminal/table'

interface JobsOptions {
  status?: UploadStatus
  competition?: string
  project?: string
  tag?: string
  starred?: boolean
  sort?: string
  limit: number
  all?: boolean
  json?: boolean
}

/** Lists jobs that match a search, newest first. */
export async function jobs(context: Context, words: string[], options: JobsOptions): Promise<number> {
  if (options.limit < 1) throw invalidRequest('--limit must be at least 1.')
  const { status, competition, project, tag, starred, sort, limit, all, json } = options
  const q = words.join(' ')
  const parsed = parseSearch(q)
  if (!parsed.ok) throw invalidRequest(`The search is wrong. ${describeSearchProblem(parsed.problem)}`)
  const client = await context.connectToJobs()
  const filters = {
    status,
    competition_id: competition,
    project_id: project,
    tag,
    starred,
    sort,
    all,
    ...(q ? { q } : {}),
  }
  const found = await readPages(limit, (query) => client.jobs.list({ ...query, ...filters }))
  const now = Date.now()
  const columns: Column<JobSummary>[] = [
    { title: 'ID', cell: (job) => job.job_id },
    { title: 'STATUS', cell: (job) => job.status, colour: (job) => statusColours[job.status] },
    { title: 'REASON', cell: (job) => job.reason },
    { title: 'USER', cell: (job) => job.user_id },
    { title: 'PROJECT', cell: (job) => job.project_id },
    { title: 'NAME', cell: (job) => job.name ?? job.competition_id },
    { title: 'TIME', cell: (job) => formatRunTime(job, now), right: true },
    { title: 'SUBMITTED', cell: (job) => formatWhen(job.created_at, now), right: true },
  ]
  return printList(context, json, found, columns, 'No jobs found.')
}
