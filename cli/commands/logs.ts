import { conflict } from '@/lib/contract/errors'
import { type Context, writeJson } from '../context'
import { exitCodes } from '../job/exit-code'
import { findJob } from '../job/job-id'
import { isOwnJob } from '../job/own-job'
import { showJob } from '../job/show-job'
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
  // To a terminal, the output of every job is the same: then nobody needs to know whose it is.
  const own = (raw || !outIsTerminal || !errIsTerminal) && (await isOwnJob(await context.connect(), jobId))
  if (raw && !own) throw conflict(`--raw is only for your own jobs: ${jobId} could control your terminal.`)
  return showJob(context, client, jobId, { quiet: true, onlySoFar: !follow, rank, own, raw })
}

interface ResultsOptions {
  output?: string
  json?: boolean
}

/** Prints the result file, or the summary of the API. What could control a terminal is escaped in its JSON. */
export async function results(
  context: Context,
  given: string,
  { output, json }: ResultsOptions,
): Promise<number> {
  const { client, jobId } = await findJob(context, given)
  if (json) {
    return writeJson(context, await client.jobs.result(jobId))
  }
  const response = await client.jobs.download(jobId, 'jsonl')
  if (output !== undefined) await saveDownload(output, response)
  else {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    for await (const chunk of response.body ?? [])
      await context.terminal.out(decoder.decode(chunk, { stream: true }))
  }
  return exitCodes.ok
}
