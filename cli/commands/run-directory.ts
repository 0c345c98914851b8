import { type Context, writeJson } from '../context'
import { exitCodes } from '../job/exit-code'
import { printResult, showToEnd, type WaitOptions } from '../job/follow-submitted'
import { withOptionErrors } from '../job/option-errors'
import { note } from '../job/show-job'
import { type ConfigOptions, toConfigText } from '../job/upload-config'
import { uploadDirectory } from '../pack/upload-directory'

/** Longer than the limit of any server. Without an estimate, only the admin's limit stops the job. */
const unlimitedSeconds = 2_000_000

/**
 * Uploads a directory and queues a command that runs in a copy of it. Returns immediately, or with `wait` when
 * the job has ended.
 */
export async function runDirectory(
  context: Context,
  directory: string,
  { wait = false, quiet = false, json, deduplicate, ...options }: ConfigOptions & Partial<WaitOptions>,
): Promise<number> {
  const client = await context.connect()
  const archive = await uploadDirectory(context, options.project_id ?? 'default', directory, quiet)
  const max_time = options.expected_time === undefined ? unlimitedSeconds : undefined
  const config = toConfigText({ ...options, archive, max_time })
  const { job_id: jobId, status } = await withOptionErrors(() =>
    client.jobs.submit({ config, wait: false, deduplicate }),
  )
  const page = client.transport.url(`/jobs/${jobId}`)
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
