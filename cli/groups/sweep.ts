import { defaultProject } from '@/lib/contract/access/project-kinds'
import type { Context } from '../context'
import { quoted } from '../declare/values'
import { withOptionErrors } from '../job/option-errors'
import { hintUnsent } from '../job/unsent-files'
import { type ConfigOptions, requireOneDirectory, toConfigText } from '../job/upload-config'
import { withWholeIds } from '../job/whole-ids'
import { uploadDirectory } from '../pack/upload-directory'
import { readObjective, readParameters } from './parameters'
import { submitAndFollow } from './submit-group'

interface SweepOptions extends ConfigOptions {
  param: string[]
  parallel?: number
  repeat?: number
  samples?: number
  seed?: number
  objective?: string
  withDir?: boolean
  dryRun?: boolean
  wait?: boolean
  quiet?: boolean
  json?: boolean
}

/** The options that set keys of a group. */
const flags = {
  matrix: '--param',
  parallel: '--parallel',
  repeat: '--repeat',
  samples: '--samples',
  seed: '--seed',
  objective: '--objective',
  command: 'COMMAND',
} as const

/** Submits a group whose members run a command with different parameters, and waits for it. */
export async function sweep(
  context: Context,
  words: readonly string[],
  {
    param,
    parallel,
    repeat,
    samples,
    seed,
    objective,
    withDir = false,
    dryRun = false,
    wait = true,
    quiet = false,
    json,
    ...given
  }: SweepOptions,
): Promise<number> {
  requireOneDirectory(given, withDir)
  const job = await withWholeIds(context, given)
  const command = toCommand(words)
  if (!withDir && !quiet && !json)
    await hintUnsent(context, command, job, 'Add --with-dir before -- to send the directory.')
  const keys = {
    ...job,
    command,
    matrix: readParameters(param),
    ...(parallel !== undefined && { parallel }),
    ...(repeat !== undefined && { repeat }),
    ...(samples !== undefined && { search: 'random', samples }),
    ...(seed !== undefined && { seed }),
    ...(objective !== undefined && { objective: readObjective(objective) }),
  }
  const archive =
    withDir && !dryRun
      ? { archive: await uploadDirectory(context, job.project_id ?? defaultProject, '.', quiet) }
      : {}
  const config = toConfigText({ ...keys, ...archive })
  return withOptionErrors(
    () => submitAndFollow(context, { config, dryRun, wait, quiet, json }),
    flags as Record<string, string>,
  )
}

/** Joins words to one line for a shell. Names of parameters stay outside of quotes, because their values bring their own. */
function toCommand(words: readonly string[]): string {
  const [only] = words
  if (words.length === 1 && only !== undefined) return only
  const toWord = (word: string) =>
    word
      .split(/(\{[A-Za-z_]\w*\})/)
      .map((part, at) => (at % 2 === 1 || part === '' ? part : quoted(part)))
      .join('') || quoted('')
  return words.map(toWord).join(' ')
}
