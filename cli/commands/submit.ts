import { GpuqError } from '@/lib/errors'
import { type Context, writeJson } from '../context'
import { exitCodeOf, exitCodes } from '../exit-code'
import { note, showJob } from '../show-job'
import { saysAnything, toConfigText, type UploadOptions } from '../upload-config'
import { readTextFile, toGpuWish, toShellLine } from '../values'
import { untilFinal } from './wait'

export interface WaitOptions {
  wait: boolean
  quiet?: boolean
  json?: boolean
  deduplicate?: boolean
}

/** Uploads a program, and follows it to its end. */
export async function submit(
  context: Context,
  solution: string,
  configPath: string | undefined,
  { wait, quiet, json, deduplicate, ...options }: UploadOptions & WaitOptions,
): Promise<number> {
  if (configPath !== undefined && saysAnything(options)) {
    throw new GpuqError(
      'invalid_request',
      'Give the config as a file or as options: with CONFIG.yaml, leave the options about the job out.',
    )
  }
  const code = await readTextFile(solution)
  const config = configPath === undefined ? toConfigText(options) : await readTextFile(configPath)
  const client = await context.connect()
  const submitted = await client.jobs.submit({ code, config, wait: false, ...ifGiven(deduplicate) })
  return follow(context, submitted, { wait, quiet, json })
}

export interface RunOptions {
  gpus?: number
  gpuMemory?: number
  gpuModel?: string
  priority?: number
  name?: string
  project?: string
  environment?: string
  expectedTime?: number
  retries?: number
  env?: Record<string, string>
}

/** Queues a command, and follows it to its end. */
export async function run(
  context: Context,
  words: readonly string[],
  { wait, quiet, json, deduplicate, ...options }: RunOptions & WaitOptions,
): Promise<number> {
  const client = await context.connect()
  const body = {
    command: toShellLine(words),
    ...toGpuWish(options.gpus),
    gpu_memory_gb: options.gpuMemory,
    gpu_model: options.gpuModel,
    priority: options.priority,
    run_id: options.name,
    project_id: options.project,
    environment: options.environment,
    estimated_duration_seconds: options.expectedTime,
    max_retries: options.retries,
    env: options.env,
  }
  const submitted = await client.queue.submit(body, ifGiven(deduplicate))
  return follow(context, submitted, { wait, quiet, json })
}

/** An option that was not given is left out, not sent as undefined. */
function ifGiven(deduplicate: boolean | undefined): { deduplicate?: boolean } {
  return deduplicate === undefined ? {} : { deduplicate }
}

async function follow(
  context: Context,
  submitted: { job_id: string; deduplicated?: boolean | undefined },
  { wait, quiet, json }: WaitOptions,
): Promise<number> {
  const jobId = submitted.job_id
  if (wait && json) return tellResult(context, jobId)
  if (wait) {
    const again = submitted.deduplicated ? ': your same job from before, not queued again' : ''
    if (!quiet) await note(context, `job ${jobId}${again}`)
    return showJob(context, await context.connect(), jobId, { quiet })
  }
  if (json) await writeJson(context, submitted)
  else await context.terminal.out(`${jobId}\n`)
  return exitCodes.ok
}

/** One JSON document at the end, with all that the job printed inside: on stdout there is nothing else. */
async function tellResult(context: Context, jobId: string): Promise<number> {
  const client = await context.connect()
  const job = await untilFinal(context, client, jobId)
  await writeJson(context, await client.jobs.result(jobId))
  return exitCodeOf(job)
}
