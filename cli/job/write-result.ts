import { indentJson } from '@/lib/contract/output/printed-json'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import { type Context, writeText } from '../context'

/** Writes the result of a job as one JSON document, with the digits that the job printed. Returns the exit code of a success. */
export async function writeResult(context: Context, client: JobsClient, jobId: string): Promise<number> {
  const answer = await client.jobs.download(jobId, 'json')
  return writeText(context, `${indentJson(await answer.text())}\n`)
}
