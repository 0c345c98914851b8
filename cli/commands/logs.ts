import { conflict } from '@/lib/contract/errors'
import { VisibleOutput } from '@/lib/contract/text/visible-output'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import type { Context } from '../context'
import { exitCodes } from '../job/exit-code'
import { findJob } from '../job/job-id'
import { isOwnJob } from '../job/own-job'
import { showJob } from '../job/show-job'
import { untilAnswered } from '../job/until-answered'
import { writeResult } from '../job/write-result'
import { saveDownload } from '../received/save-download'

interface LogsOptions {
  follow?: boolean
  rank?: number
  /** Prints control characters of an own job as they are. */
  raw?: boolean
}

/** Prints the output of a job. With `follow`, until the job ends, and then exits with its exit code. */
export async function logs(
  context: Context,
  given: string,
  { follow = false, rank, raw = false }: LogsOptions,
): Promise<number> {
  const { client, jobId } = await findJob(context, given)
  const { outIsTerminal, errIsTerminal } = context.terminal
  // On a terminal, control characters are escaped for every job, so the owner matters only for pipes and --raw.
  const ownerMatters = raw || !outIsTerminal || !errIsTerminal
  const findOwner = () => isOwn(context, client, jobId)
  const mayBeExact = ownerMatters && (await (follow ? untilAnswered(context, findOwner) : findOwner()))
  if (raw && !mayBeExact)
    throw conflict(`--raw is only for your own jobs: ${jobId} could control your terminal.`)
  return showJob(context, client, jobId, { quiet: true, onlySoFar: !follow, rank, own: mayBeExact, raw })
}

async function isOwn(context: Context, client: JobsClient, jobId: string): Promise<boolean> {
  return isOwnJob(await context.connect(), await client.jobs.get(jobId))
}

interface ResultsOptions {
  output?: string
  json?: boolean
}

/**
 * Prints the result file, or the summary of the API. What could control a terminal is escaped in its JSON, except in the file of an
 * own job in a pipe.
 */
export async function results(
  context: Context,
  given: string,
  { output, json }: ResultsOptions,
): Promise<number> {
  const { client, jobId } = await findJob(context, given)
  if (json) {
    return writeResult(context, client, jobId)
  }
  if (output !== undefined) {
    await saveDownload(output, await client.jobs.download(jobId, 'jsonl'))
    return exitCodes.ok
  }
  const isExact = !context.terminal.outIsTerminal && (await isOwn(context, client, jobId))
  await printResults(context, await client.jobs.download(jobId, 'jsonl'), isExact)
  return exitCodes.ok
}

async function printResults({ terminal }: Context, { body }: Response, isExact: boolean): Promise<void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const visible = new VisibleOutput()
  for await (const chunk of body ?? []) {
    if (isExact) await terminal.outAsIs(chunk)
    else await terminal.out(visible.write(decoder.decode(chunk, { stream: true })))
  }
  await terminal.out(visible.write(decoder.decode()) + visible.end())
}
