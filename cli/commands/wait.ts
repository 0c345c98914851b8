import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import type { Client } from '@/lib/http/client/client'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import { ProblemError } from '@/lib/http/client/problem'
import { describeError } from '../console/describe-error'
import { withoutControls } from '../console/terminal'
import { type Context, writeJson } from '../context'
import { exitCodeOf, exitCodes } from '../job/exit-code'
import { findJobIds } from '../job/job-id'
import { untilAnswered } from '../job/until-answered'
import { explainNotFound } from '../job/whole-ids'

const pollIntervalMs = 1_000

/**
 * Waits for jobs to end, in the given order. The exit code is that of the first job that did not complete.
 */
export async function wait(
  context: Context,
  given: readonly string[],
  { json }: { json?: boolean },
): Promise<number> {
  const client = await context.connectToJobs()
  const ended: JobDetail[] = []
  for (const id of await findJobIds(client, given)) {
    const job = await waitUntilFinal(context, client, id)
    ended.push(job)
    if (!json) await context.terminal.out(formatEnd(job))
  }
  if (json) await writeJson(context, ended)
  return ended.map(exitCodeOf).find((code) => code !== exitCodes.ok) ?? exitCodes.ok
}

/** Polls every second until the job has ended. */
export async function waitUntilFinal(
  context: Pick<Context, 'sleep'>,
  client: Pick<JobsClient, 'jobs'>,
  id: string,
): Promise<JobDetail> {
  for (;;) {
    const job = await untilAnswered(context, () => client.jobs.get(id))
    if (isFinal(job.status)) return job
    await context.sleep(pollIntervalMs)
  }
}

/** Cancels each job. */
export function cancel(context: Context, given: readonly string[]): Promise<number> {
  return changeEach(context, given, async (client, id) => {
    const { status } = await client.jobs.cancel(id)
    return isFinal(status) ? status : 'is being cancelled'
  })
}

/** Does not let waiting jobs start. */
export function hold(context: Context, given: readonly string[]): Promise<number> {
  return changeEach(context, given, async (client, id) => {
    await client.queue.setHeld(id, { held: true })
    return 'held'
  })
}

const stillWaits: Readonly<Record<string, string>> = {
  dependency: 'waits for others',
  approval_needed: 'waits for approval',
}

/** Lets held jobs start. */
export function release(context: Context, given: readonly string[]): Promise<number> {
  return changeEach(context, given, async (client, id) => {
    const { reason } = await client.queue.setHeld(id, { held: false })
    return (reason === null ? undefined : stillWaits[reason]) ?? 'released'
  })
}

/** Changes each job and prints what it is now. A job that cannot be changed does not prevent the others. */
async function changeEach(
  context: Context,
  given: readonly string[],
  change: (client: Client, id: string) => Promise<string>,
): Promise<number> {
  const client = await context.connect()
  let exitCode: number = exitCodes.ok
  for (const id of await findJobIds(client, given)) {
    try {
      await context.terminal.out(`${id} ${await change(client, id)}\n`)
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      const explained = await explainNotFound(context, [id], error)
      await context.terminal.err(describeError(explained, null).text.replace('gpuq: ', `gpuq: ${id}: `))
      exitCode = exitCodes.failed
    }
  }
  return exitCode
}

function formatEnd(job: JobDetail): string {
  const code = job.exit_code === null ? '' : ` ${job.exit_code}`
  return `${job.job_id} ${job.status}${code} ${withoutControls(job.reason_text ?? '')}`.trimEnd().concat('\n')
}
