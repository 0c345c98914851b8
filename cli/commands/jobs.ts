import { GpuqError } from '@/lib/contract/errors'
import type { JobSummary } from '@/lib/contract/jobs'
import { type UploadStatus, uploadStatuses } from '@/lib/contract/status'
import type { Client } from '@/lib/http/client/client'
import { type Context, writeJson } from '../context'
import { exitCodes } from '../job/exit-code'
import { formatDuration, formatWhen, statusColours } from '../terminal/format'
import { type Column, renderTable } from '../terminal/table'

interface JobsOptions {
  status?: string
  competition?: string
  project?: string
  limit: number
  all?: boolean
  json?: boolean
}

const pageSize = 200

/** Lists jobs, newest first. */
export async function jobs(context: Context, options: JobsOptions): Promise<number> {
  if (options.limit < 1) throw new GpuqError('invalid_request', '--limit must be at least 1.')
  const status = parseStatus(options.status)
  const found = await readJobs(await context.connect(), options, status)
  if (options.json) await writeJson(context, found)
  else if (found.length > 0) await context.terminal.out(renderJobs(context, found))
  else await context.terminal.err('No jobs found.\n')
  return exitCodes.ok
}

async function readJobs(
  client: Client,
  { competition, project, limit, all }: JobsOptions,
  status: UploadStatus | undefined,
): Promise<JobSummary[]> {
  const found: JobSummary[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Client['jobs']['list']>> = await client.jobs.list({
      limit: Math.min(pageSize, limit - found.length),
      ...(status ? { status } : {}),
      ...(competition ? { competition_id: competition } : {}),
      ...(project ? { project_id: project } : {}),
      ...(all ? { all } : {}),
      ...(cursor ? { cursor } : {}),
    })
    found.push(...page.items)
    cursor = page.next
  } while (cursor !== null && found.length < limit)
  return found
}

export function renderJobs({ terminal }: Context, found: readonly JobSummary[]): string {
  const now = Date.now()
  const columns: Column<JobSummary>[] = [
    { title: 'ID', cell: (job) => job.job_id },
    { title: 'STATUS', cell: (job) => job.status, colour: (job) => statusColours[job.status] },
    { title: 'WHY', cell: (job) => job.reason },
    { title: 'USER', cell: (job) => job.user_id },
    { title: 'PROJECT', cell: (job) => job.project_id },
    { title: 'NAME', cell: (job) => job.name ?? job.competition_id },
    { title: 'TIME', cell: (job) => formatRunTime(job, now), right: true },
    { title: 'SUBMITTED', cell: (job) => formatWhen(job.created_at, now), right: true },
  ]
  return renderTable(columns, found, terminal)
}

function formatRunTime({ started_at, completed_at }: JobSummary, now: number): string | null {
  if (started_at === null) return null
  const end = completed_at === null ? now : Date.parse(completed_at)
  return formatDuration((end - Date.parse(started_at)) / 1000)
}

function parseStatus(given: string | undefined): UploadStatus | undefined {
  if (given === undefined) return undefined
  const found = uploadStatuses.find((status) => status === given)
  if (found) return found
  throw new GpuqError('invalid_request', `--status must be one of: ${uploadStatuses.join(', ')}.`)
}
