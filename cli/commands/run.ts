import { stat } from 'node:fs/promises'
import { GpuqError } from '@/lib/contract/errors'
import type { Context } from '../context'
import type { RunOptions } from '../declare/run-options'
import { toGpuWish, toShellLine } from '../declare/values'
import { followOrPrint, ifGiven } from '../job/follow-submitted'

/** Queues a command. With `--command` or `--with-dir`, also uploads a directory. */
export async function run(context: Context, words: readonly string[], options: RunOptions): Promise<number> {
  if (options.command === undefined) {
    return options.withDir
      ? runInCurrentDirectory(context, words, options)
      : runCommandLine(context, words, options)
  }
  if (options.withDir) {
    const message = 'Use either --command "…" DIRECTORY or --with-dir -- COMMAND, not both.'
    throw new GpuqError('invalid_request', message)
  }
  const [directory, ...more] = words
  if (directory === undefined || more.length > 0)
    throw new GpuqError('invalid_request', '--command needs exactly one directory, after all options.')
  const { runDirectory } = await import('./run-directory')
  return runDirectory(context, directory, options.command, options)
}

/** Runs a command in a copy of the current directory and follows it until it ends. */
async function runInCurrentDirectory(
  context: Context,
  words: readonly string[],
  options: RunOptions,
): Promise<number> {
  const { runDirectory } = await import('./run-directory')
  return runDirectory(context, '.', toShellLine(words), { ...options, wait: options.wait ?? true })
}

/** Queues a command and follows it until it ends. */
async function runCommandLine(
  context: Context,
  words: readonly string[],
  { wait = true, quiet, json, deduplicate, ...options }: RunOptions,
): Promise<number> {
  await rejectDirectoryOptions(words, options)
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
    tty: options.tty,
  }
  const submitted = await client.queue.submit(body, ifGiven(deduplicate))
  return followOrPrint(context, submitted, { wait, ...shown(quiet, json) })
}

function shown(quiet: boolean | undefined, json: boolean | undefined): { quiet?: boolean; json?: boolean } {
  return { ...(quiet !== undefined && { quiet }), ...(json !== undefined && { json }) }
}

/** Rejects options that are given after the directory: they would silently become part of the command. */
async function rejectDirectoryOptions(words: readonly string[], options: RunOptions): Promise<void> {
  const { nodes, runName, pool, cpu, memory, freshNodes } = options
  const [first = '', ...rest] = words
  const misplaced = rest.find((word) => /^--(command|nodes|run-name|pool)(=|$)/.test(word))
  if (misplaced !== undefined && (await isDirectory(first)))
    throw new GpuqError('invalid_request', `${misplaced} must come before the directory ${first}.`)
  if ([nodes, runName, pool, cpu, memory, freshNodes].every((value) => value === undefined)) return
  const message =
    '--nodes, --run-name, --pool, --cpu, --memory and --fresh-nodes require --with-dir or --command "…" DIRECTORY.'
  throw new GpuqError('invalid_request', message)
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}
