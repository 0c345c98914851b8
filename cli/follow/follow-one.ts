import { setTimeout as sleep } from 'node:timers/promises'
import type { JobDetail } from '@/lib/contract/jobs'
import type { Printed } from '@/lib/contract/output/printed-output'
import { endNote } from '@/lib/contract/reasons'
import { isFinal } from '@/lib/contract/status'
import type { Client } from '@/lib/http/client/client'
import { formatRunTime } from '../console/format'
import { followJob } from '../job/follow-job'
import type { JobSink } from './job-sink'
import type { StartLog } from './start-log'

interface FollowOptions {
  client: Pick<Client, 'jobs'>
  log: StartLog
  sinks: readonly JobSink[]
  signal: AbortSignal
}

/** Follows a job until it ends: logs each placement and its end, and passes its output to the sinks. */
export async function followOne(jobId: string, options: FollowOptions): Promise<void> {
  const { client, log, sinks, signal } = options
  let last: JobDetail | null = null
  let attempt = 0
  let runs = false
  /** Output may arrive before the status of its attempt. */
  let early: Printed[] = []
  const each = async (work: (sink: JobSink) => Promise<void>) => {
    for (const sink of sinks) await work(sink)
  }
  const write = async (printed: readonly Printed[]) => {
    for (const one of printed) await each((sink) => sink.write(one))
  }
  try {
    for await (const jobEvent of followJob({ client, jobId, sleep: (ms) => sleep(ms), signal })) {
      if (jobEvent.kind === 'job') {
        last = jobEvent.job
        if (!runs && hasStarted(last) && last.attempt > attempt) {
          const started = last
          attempt = started.attempt
          runs = true
          await log.note(describeStart(started))
          await each((sink) => sink.started(started))
          await write(early.splice(0))
        }
      } else if (jobEvent.kind === 'output') {
        if (runs) await write(jobEvent.printed)
        else early = [...early, ...jobEvent.printed]
      } else if (jobEvent.kind === 'again') {
        runs = false
        early = []
        await each((sink) => sink.ended())
        await log.note(`job ${jobId} is retried.`)
      }
    }
  } finally {
    await each((sink) => sink.ended())
  }
  if (last !== null && isFinal(last.status)) await log.note(describeEnd(last))
}

function hasStarted({ status, started_at }: JobDetail): boolean {
  return started_at !== null && status !== 'pending'
}

function describeStart(job: JobDetail): string {
  const gpus = job.gpus.map(({ index }) => index)
  const place = gpus.length > 0 ? `GPU ${gpus.join(', ')} of ${job.node_name}` : job.node_name
  const again = job.attempt > 1 ? ` (attempt ${job.attempt})` : ''
  return `job ${job.job_id} (${job.name ?? job.competition_id}) started on ${place}${again}.`
}

function describeEnd(job: JobDetail): string {
  const time = formatRunTime(job, Date.now())
  const after = time === null ? '' : ` after ${time}`
  const text = job.status === 'completed' ? endNote(job) : job.reason_text
  const why = text === null ? '.' : `: ${text}`
  return `job ${job.job_id} (${job.name ?? job.competition_id}) ${job.status}${after}${why}`
}
