import { invalidRequest } from '@/lib/contract/errors'
import type { Context } from '../../context'
import { flagOf } from '../../declare/config-option'
import { configOptions } from '../../declare/config-options'
import { quoted, toGpuRequest, toShellLine } from '../../declare/values'
import { isDirectory } from '../../files'
import { printDryRun } from '../../job/dry-run'
import { followOrPrint, type WaitOptions } from '../../job/follow-submitted'
import { withOptionErrors } from '../../job/option-errors'
import { note } from '../../job/show-job'
import { withTimeLimit } from '../../job/submit-directory'
import { hintUnsent } from '../../job/unsent-files'
import { type ConfigOptions, requireOneDirectory, toConfigText } from '../../job/upload-config'
import { withWholeIds } from '../../job/whole-ids'

/** `wait` is undefined if neither form of the option was given: the default depends on the form of the command. */
type JobOptions = ConfigOptions & Partial<WaitOptions>

export interface RunOptions extends JobOptions {
  /** Uploads the current directory and runs the command in a copy of it. */
  withDir?: boolean
  /** Runs the command in the current directory, at the same path, and brings its changes back. */
  sync?: boolean
  dryRun?: boolean
}

/** Other ways to run a command, which features have: each by the name of its option. */
export interface RunWays {
  /** In the current directory. */
  sync?: () => Promise<(context: Context, options: JobOptions & { command: string }) => Promise<number>>
}

/** Queues a command. With `--command` or `--with-dir`, also uploads a directory. */
export async function run(
  context: Context,
  words: readonly string[],
  { withDir, sync, dryRun, ...given }: RunOptions,
  ways: RunWays = {},
): Promise<number> {
  requireCommand(words, given)
  const command = toShellLine(words)
  requireOneDirectory(given, withDir || sync || given.command !== undefined)
  const options = await withWholeIds(context, given)
  if (dryRun) return tryRun(context, words, { withDir, sync, ...options })
  if (sync && ways.sync) {
    if (withDir || options.command !== undefined)
      throw invalidRequest('Use --sync -- COMMAND without --with-dir and --command.')
    const runSynced = await ways.sync()
    return runSynced(context, { ...options, command })
  }
  if (options.command === undefined) {
    if (!withDir) return runCommandLine(context, words, { ...options, command })
    const { runDirectory } = await import('./run-directory')
    return runDirectory(context, '.', { ...options, command, wait: options.wait ?? true })
  }
  if (withDir) {
    const message = 'Use either --command "…" DIRECTORY or --with-dir -- COMMAND, not both.'
    throw invalidRequest(message)
  }
  const [directory, ...more] = words
  if (directory === undefined || more.length > 0)
    throw invalidRequest('--command needs exactly one directory, after all options.')
  const { runDirectory } = await import('./run-directory')
  return runDirectory(context, directory, options)
}

/** @throws if there is no command, or no directory for `--command`. */
function requireCommand(words: readonly string[], { command }: ConfigOptions): void {
  if (words.length > 0) return
  if (command === undefined)
    throw invalidRequest('The command is missing: write it after --, as in gpuq run -- nvidia-smi.')
  const text = quoted(command)
  throw invalidRequest(
    `--command uploads a directory, which is missing: write it last, as in gpuq run --command ${text} . for the current one. Without a directory: gpuq run -- ${text}`,
  )
}

const howToSend =
  'Add --with-dir before -- to send the directory, or --sync to bring changed files back, too.'

/** Says what the submission would do. */
async function tryRun(
  context: Context,
  words: readonly string[],
  { wait: _wait, quiet, deduplicate: _deduplicate, json, withDir, sync, ...keys }: RunOptions,
): Promise<number> {
  const job = { ...keys, command: keys.command ?? toShellLine(words) }
  const hasDirectory = withDir || sync || keys.command !== undefined
  if (!hasDirectory) {
    await rejectDirectoryOptions(words, keys)
    if (!quiet && !json) await hintUnsent(context, job.command, keys, howToSend)
  }
  return withOptionErrors(() =>
    printDryRun(
      context,
      (client) =>
        hasDirectory
          ? client.jobs.dryRun({ config: toConfigText(withTimeLimit(job)) })
          : client.queue.dryRun(toQueueJob(job)),
      json,
    ),
  )
}

/** Queues a command and follows it until it ends. */
async function runCommandLine(
  context: Context,
  words: readonly string[],
  { wait = true, quiet, json, deduplicate, ...options }: JobOptions & { command: string },
): Promise<number> {
  await rejectDirectoryOptions(words, options)
  if (!quiet && !json) await hintUnsent(context, options.command, options, howToSend)
  const client = await context.connect()
  const job = toQueueJob(options)
  const submitted = await withOptionErrors(() => client.queue.submit(job, { deduplicate }))
  if (!quiet && !json && submitted.project_note) await note(context, submitted.project_note)
  return followOrPrint(context, submitted, { wait, quiet, json })
}

/** A job without a directory in the words of the queue API. */
function toQueueJob({ gpus, name, expected_time, ...keys }: ConfigOptions & { command: string }) {
  return { ...keys, ...toGpuRequest(gpus), run_id: name, estimated_duration_seconds: expected_time }
}

/** The keys of options that need a directory. */
const keysForDirectories = Object.entries(configOptions)
  .filter(([, { run: description, needsDirectory }]) => needsDirectory && description !== undefined)
  .map(([key]) => key)

/** Rejects options that need a directory, and those after the directory: they would silently become part of the command. */
async function rejectDirectoryOptions(words: readonly string[], options: ConfigOptions): Promise<void> {
  const [first = '', ...rest] = words
  const flags = ['--command', ...keysForDirectories.map(flagOf)]
  const misplaced = flags.find((flag) => rest.some((word) => word === flag || word.startsWith(`${flag}=`)))
  if (misplaced !== undefined && (await isDirectory(first)))
    throw invalidRequest(`${misplaced} must come before the directory ${first}.`)
  const given = keysForDirectories.find((key) => key in options)
  if (given === undefined) return
  throw invalidRequest(
    `${flagOf(given)} needs a directory: use --with-dir, --sync or --command "…" DIRECTORY.`,
  )
}
