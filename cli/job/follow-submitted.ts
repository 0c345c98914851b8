import { isFinal } from '@/lib/contract/status'
import type { Client } from '@/lib/http/client/client'
import { attachTo } from '../commands/attach'
import { waitUntilFinal } from '../commands/wait'
import { type Context, print } from '../context'
import { exitCodeOf } from './exit-code'
import { note, showJob } from './show-job'
import { writeResult } from './write-result'

export interface WaitOptions {
  wait: boolean
  quiet?: boolean
  json?: boolean
  deduplicate?: boolean
}

/** Follows the job until it ends, or prints its id. */
export async function followOrPrint(
  context: Context,
  submitted: { job_id: string; deduplicated?: boolean | undefined },
  { wait, quiet, json }: WaitOptions,
): Promise<number> {
  const jobId = submitted.job_id
  if (wait && json) return printResult(context, jobId)
  if (wait) {
    const again = submitted.deduplicated ? ': identical job found, not queued again' : ''
    if (!quiet) await note(context, `job ${jobId}${again}`)
    return showToEnd(context, await context.connect(), jobId, { quiet })
  }
  return print(context, json, submitted, `${jobId}\n`)
}

/**
 * Shows the output of the user's own job until it ends. Attaches the terminal if the job has one and the user is interactive.
 */
export async function showToEnd(
  context: Context,
  client: Client,
  jobId: string,
  { quiet }: Pick<WaitOptions, 'quiet'>,
): Promise<number> {
  const job = context.isInteractive ? await client.jobs.get(jobId) : null
  if (job?.terminal && !isFinal(job.status)) return attachTo(context, client, job, { own: true })
  return showJob(context, client, jobId, { quiet, own: true })
}

/** Prints one JSON document at the end, including the job's output. Writes nothing else to stdout. */
export async function printResult(context: Context, jobId: string): Promise<number> {
  const client = await context.connect()
  const job = await waitUntilFinal(context, client, jobId)
  await writeResult(context, client, jobId)
  return exitCodeOf(job)
}
