import { type Context, writeJson } from '../context'
import type { RunOptions } from '../declare/run-options'
import { exitCodes } from '../job/exit-code'
import { ifGiven, printResult, showToEnd } from '../job/follow-submitted'
import { note } from '../job/show-job'
import { toConfigText } from '../job/upload-config'
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
  command: string,
  { wait = false, quiet = false, json, deduplicate, ...options }: RunOptions,
): Promise<number> {
  const project = options.project ?? 'default'
  const client = await context.connect()
  const archive = await uploadDirectory(context, project, directory, quiet)
  const config = toConfigText(
    { ...options, project },
    {
      command,
      archive,
      run_name: options.runName,
      instance_count: options.nodes,
      fresh_nodes: options.freshNodes,
      max_time: options.expectedTime === undefined ? unlimitedSeconds : undefined,
    },
  )
  const { job_id: jobId, status } = await client.jobs.submit({ config, wait: false, ...ifGiven(deduplicate) })
  const page = client.transport.url(`/jobs/${jobId}`)
  const results = client.jobs.downloadUrl(jobId, 'jsonl')
  if (json && wait) return printResult(context, jobId)
  if (json) {
    await writeJson(context, {
      job_id: jobId,
      status,
      run_name: options.runName ?? null,
      archive,
      page,
      results,
    })
    return exitCodes.ok
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
