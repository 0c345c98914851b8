import { type Context, writeJson } from '../context'
import { exitCodes } from '../job/exit-code'
import { findJob } from '../job/job-id'
import { showJob } from '../job/show-job'
import { saveDownload } from '../received/save-download'

interface LogsOptions {
  follow?: boolean
  rank?: number
}

/** Prints the output of a job. With `follow`, until the job ends, and then exits with its exit code. */
export async function logs(
  context: Context,
  given: string,
  { follow = false, rank }: LogsOptions,
): Promise<number> {
  const { client, jobId } = await findJob(context, given)
  return showJob(context, client, jobId, { quiet: true, onlySoFar: !follow, rank })
}

interface ResultsOptions {
  output?: string
  json?: boolean
}

/** Prints the result file as stored, or the summary of the API. */
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
