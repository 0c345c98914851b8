import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { type Context, writeJson } from '../context'
import { exitCodes } from '../job/exit-code'
import { findJobId } from '../job/job-id'
import { showJob } from '../job/show-job'

export interface LogsOptions {
  follow?: boolean
  rank?: number
}

/** Prints the output of a job. With `follow`, until the job ends, and then exits with its exit code. */
export async function logs(
  context: Context,
  given: string,
  { follow = false, rank }: LogsOptions,
): Promise<number> {
  const client = await context.connect()
  const jobId = await findJobId(client, given)
  return showJob(context, client, jobId, { quiet: true, onlySoFar: !follow, rank })
}

export interface ResultsOptions {
  output?: string
  json?: boolean
}

/** Prints the result file as stored, or the summary of the API. */
export async function results(
  context: Context,
  given: string,
  { output, json }: ResultsOptions,
): Promise<number> {
  const client = await context.connect()
  const jobId = await findJobId(client, given)
  if (json) {
    await writeJson(context, await client.jobs.result(jobId))
    return exitCodes.ok
  }
  const { body } = await client.jobs.download(jobId, 'jsonl')
  if (!body) return exitCodes.ok
  if (output === undefined) await writeOut(context, body)
  else await writeFileAtomically(output, body as ReadableStream<Uint8Array>)
  return exitCodes.ok
}

async function writeOut({ terminal }: Context, body: AsyncIterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const chunk of body) await terminal.out(decoder.decode(chunk, { stream: true }))
}

/** Writes a temporary file first, so that an interrupted download leaves no partial file. */
async function writeFileAtomically(path: string, body: ReadableStream<Uint8Array>): Promise<void> {
  const temporary = `${path}.part`
  try {
    await pipeline(Readable.fromWeb(body), createWriteStream(temporary))
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
