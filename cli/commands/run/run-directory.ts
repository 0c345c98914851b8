import { type Context, writeJson } from '../../context'
import { exitCodes } from '../../job/exit-code'
import { printResult, showToEnd, type WaitOptions } from '../../job/follow-submitted'
import { note } from '../../job/show-job'
import { submitDirectory } from '../../job/submit-directory'
import type { ConfigOptions } from '../../job/upload-config'

/**
 * Uploads a directory and queues a command that runs in a copy of it. Returns immediately, or with `wait` when
 * the job has ended.
 */
export async function runDirectory(
  context: Context,
  directory: string,
  { wait = false, quiet = false, json, deduplicate, ...options }: ConfigOptions & Partial<WaitOptions>,
): Promise<number> {
  const submitted = await submitDirectory(context, directory, options, { quiet, deduplicate })
  const { client, jobId, status, archive, page } = submitted
  const results = client.jobs.downloadUrl(jobId, 'jsonl')
  if (json && wait) return printResult(context, jobId)
  if (json) {
    const run_name = options.run_name ?? null
    return writeJson(context, { job_id: jobId, status, run_name, archive, page, results })
  }
  if (!wait) await context.terminal.out(`${jobId}\n`)
  if (!quiet) {
    await note(context, `job ${jobId}`)
    await note(context, `page: ${page}`)
    await note(context, `follow the output: gpuq logs -f ${jobId}`)
    await note(context, `download the results after the job has ended: ${results}`)
  }
  return wait ? showToEnd(context, client, jobId, { quiet }) : exitCodes.ok
}
