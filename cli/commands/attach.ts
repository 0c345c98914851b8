import { conflict } from '@/lib/contract/errors'
import type { JobDetail, JobSummary } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import { AttachSession } from '../attach/attach-session'
import { parseEscapeKey } from '../attach/detach-keys'
import { formatRunTime } from '../console/format'
import type { Column } from '../console/table'
import { type Context, printList } from '../context'
import { listSessions } from '../follow/screen-sessions'
import { findJobId } from '../job/job-id'
import { isOwnJob } from '../job/own-job'
import { showJob } from '../job/show-job'

interface AttachOptions {
  rank?: number
  escape?: string
}

/** Shows the live output of a running job, or its terminal if it has one. */
export async function attach(context: Context, given: string, options: AttachOptions): Promise<number> {
  const client = await context.connect()
  const jobId = await findJobId(client, given)
  const job = await client.jobs.get(jobId)
  if (isFinal(job.status)) {
    const advice = `Run \`gpuq logs ${jobId}\` to print its output.`
    throw conflict(`Cannot attach: the job is ${job.status}. ${advice}`)
  }
  return attachTo(context, client, job, { ...options, own: await isOwnJob(client, job) })
}

/** Attaches to a loaded job. In a pipe, follows the output as `logs -f` does. */
export async function attachTo(
  context: Context,
  client: JobsClient,
  job: JobDetail,
  { rank, own, escape: key = '^a' }: AttachOptions & { own: boolean },
): Promise<number> {
  const escapeKey = parseEscapeKey(key)
  const raw = context.openRaw(job.terminal)
  if (raw === null) return showJob(context, client, job.job_id, { rank, own })
  return new AttachSession(context, { client, job, raw, escapeKey, own, rank }).run()
}

const pageSize = 200

type Row = JobSummary & { session: string | null }

/** Lists the running jobs that accept `gpuq attach`, newest first, with their sessions of GNU Screen on this machine. */
export async function screens(
  context: Context,
  { all, json }: { all?: boolean; json?: boolean },
): Promise<number> {
  const client = await context.connectToJobs()
  const { items } = await client.jobs.list({ status: 'running', limit: pageSize, all })
  const sessions = await listSessions(context.env)
  const rows: Row[] = items.map((job) => ({ ...job, session: sessions.get(job.job_id) ?? null }))
  const now = Date.now()
  const columns: Column<Row>[] = [
    ...(sessions.size > 0 ? [{ title: 'SESSION', cell: (job: Row) => job.session }] : []),
    { title: 'ID', cell: (job) => job.job_id },
    {
      title: 'TERMINAL',
      cell: (job) => (job.terminal ? 'yes' : 'no'),
      colour: (job) => (job.terminal ? 'green' : 'dim'),
    },
    ...(all ? [{ title: 'USER', cell: (job: Row) => job.user_id }] : []),
    { title: 'NODE', cell: (job) => job.node_name },
    { title: 'NAME', cell: (job) => job.name ?? job.competition_id, long: true },
    { title: 'TIME', cell: (job) => formatRunTime(job, now), right: true },
  ]
  return printList(context, json, rows, columns, 'No jobs are running.')
}
