import { invalidRequest } from '@/lib/contract/errors'
import { parseSearch } from '@/lib/contract/search/parse-search'
import { describeSearchProblem } from '@/lib/contract/search/search-reader'
import { describeUnknownKeys } from '@/lib/contract/search/unknown-keys'
import type { UploadStatus } from '@/lib/contract/status'
import { type Context, printList } from '../context'
import { requireProject } from '../find-project'
import { toColumns } from '../job/job-columns'
import { readPages } from '../job/read-pages'

interface JobsOptions {
  status?: UploadStatus
  competition?: string
  project?: string
  tag?: string
  starred?: boolean
  sort?: string
  limit: number
  columns?: string
  all?: boolean
  json?: boolean
}

/** Lists jobs that match a search, newest first. */
export async function jobs(context: Context, words: string[], options: JobsOptions): Promise<number> {
  const { status, competition, project, tag, starred, sort, limit, all, json } = options
  const q = words.join(' ')
  const parsed = parseSearch(q)
  if (!parsed.ok) throw invalidRequest(`The search is wrong. ${describeSearchProblem(parsed.problem)}`)
  const columns = toColumns(options.columns)
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
  if (found.length === 0 && project !== undefined) await requireProject(await context.connect(), project)
  return printList(
    context,
    json,
    found,
    columns,
    ['No jobs found.', describeUnknownKeys(q)].filter((part) => part !== null).join(' '),
  )
}
