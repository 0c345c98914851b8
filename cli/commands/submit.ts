import { basename, dirname } from 'node:path'
import { isMap, isSeq, parseDocument } from 'yaml'
import { type Alternatives, isConfigName, refuseProgram } from '@/lib/contract/config/program/program-kind'
import { invalidRequest } from '@/lib/contract/errors'
import type { Context } from '../context'
import { quoted, readTextFile } from '../declare/values'
import { otherSubmissions, otherSubmitted } from '../features'
import { isDirectory } from '../files'
import { printDryRun } from '../job/dry-run'
import { followOrPrint, type WaitOptions } from '../job/follow-submitted'
import { withOptionErrors } from '../job/option-errors'
import type { OtherSubmission } from '../job/other-submission'
import { submitOnce } from '../job/submit-once'
import { hintUnsent } from '../job/unsent-files'
import { type ConfigOptions, requireOneDirectory, toConfigText } from '../job/upload-config'
import { withWholeIds } from '../job/whole-ids'
import { uploadBeside, uploadProgram } from '../pack/upload-directory'

interface SubmitOptions extends ConfigOptions, WaitOptions {
  /** Uploads the directory of the program. */
  withDir?: boolean
  dryRun?: boolean
}

/** Uploads a program, or a directory that has one, or only a config with a command, and follows the job until it ends. */
export async function submit(
  context: Context,
  solution: string,
  givenConfig: string | undefined,
  { wait, quiet, json, deduplicate, dryRun, withDir = false, ...flags }: SubmitOptions,
): Promise<number> {
  const ofDirectory = await isDirectory(solution)
  const ofConfig = !ofDirectory && isConfigName(solution)
  if (ofConfig) refuseBeside(solution, givenConfig, withDir)
  const configPath = ofConfig ? solution : givenConfig
  if (configPath !== undefined && Object.keys(flags).length > 0) {
    throw invalidRequest(
      'CONFIG.yaml cannot be combined with job options. Use either the file or the options.',
    )
  }
  requireOneDirectory(flags, withDir || ofDirectory)
  const code = ofDirectory || ofConfig ? undefined : await readProgram(solution)
  const given =
    configPath === undefined
      ? toConfigText(await withWholeIds(context, flags))
      : await readTextFile(configPath)
  if (ofConfig) await checkAlone(context, solution, given, quiet || json)
  if (code !== undefined && configPath !== undefined) await refuseCommand(solution, configPath, given)
  const program = { ...(code !== undefined && { code }), config: given }
  const named = <T>(ask: () => Promise<T>) => (configPath === undefined ? withOptionErrors(ask) : ask())
  const other = await findOther(given)
  if (other) {
    if (deduplicate) throw invalidRequest('--deduplicate is only for one job.')
    const upload = ofDirectory ? uploadProgram : uploadBeside
    const isSent = (ofDirectory || withDir) && !dryRun
    const config = isSent ? await upload(context, solution, given, quiet) : given
    const submitOther = await other.load()
    return named(() =>
      submitOther(context, {
        ...program,
        config,
        wait,
        ...(dryRun && { dryRun }),
        ...(quiet && { quiet }),
        ...(json && { json }),
      }),
    )
  }
  if (dryRun) return named(() => printDryRun(context, (client) => client.jobs.dryRun(program), json))
  const submission = { ...program, wait: false, deduplicate }
  if (ofDirectory || withDir) {
    const client = await context.connect()
    await named(() => client.jobs.check(submission))
    const upload = ofDirectory ? uploadProgram : uploadBeside
    submission.config = await upload(context, solution, given, quiet)
  }
  const submitted = await named(() => submitOnce(context, submission, quiet))
  const kind = otherSubmitted.find(({ matches }) => matches(submitted))
  const follow = kind ? await kind.load() : followOrPrint
  return follow(context, submitted, { wait, quiet, json })
}

/** Finds what submits a config that is not that of one job. */
async function findOther(config: Blob | string): Promise<OtherSubmission | undefined> {
  const text = typeof config === 'string' ? config : await config.text()
  return otherSubmissions.find(({ matches }) => matches(text))
}

/** @throws if a config is submitted as the only file, and more is given. */
function refuseBeside(config: string, other: string | undefined, withDir: boolean): void {
  if (other !== undefined)
    throw invalidRequest(
      `${config} is a config: write the program first, as in gpuq submit ${other} ${config}.`,
    )
  if (withDir)
    throw invalidRequest(
      `${config} is no program. Send the directory with gpuq submit . ${config}, without --with-dir.`,
    )
}

/** @throws if the config of a program has a command. */
async function refuseCommand(program: string, path: string, config: Blob | string): Promise<void> {
  const { contents, errors } = parseDocument(await new Blob([config]).text())
  if (errors.length > 0 || !isMap(contents) || !contents.has('command')) return
  throw invalidRequest(
    `${path} has a command, and a job runs either a command or a program. Remove the key command to run ${program}, or send the directory of ${program} to run the command in it: gpuq submit ${quoted(dirname(program))} ${quoted(path)}`,
  )
}

/**
 * Checks a config that is submitted without a program, and says which files its command names that are not sent. The server reports
 * the mistakes of an invalid one.
 * @throws if the config does not say what runs.
 */
async function checkAlone(
  context: Context,
  path: string,
  config: Blob | string,
  silent: boolean | undefined,
): Promise<void> {
  const document = parseDocument(await new Blob([config]).text())
  const { contents } = document
  if (document.errors.length > 0 || !isMap(contents)) return
  const members = contents.get('members')
  const isOfMembers = isSeq(members) && members.items.some((item) => isMap(item) && item.has('command'))
  if (!contents.has('command') && !contents.has('archive') && !isOfMembers) {
    const how = `Name the program, gpuq submit PROGRAM.py ${path}, or its directory, gpuq submit DIRECTORY ${path}, or add the key command`
    throw invalidRequest(`${path} is a config without a command, so it does not say what runs. ${how}.`)
  }
  const [command, archive, project] = ['command', 'archive', 'project_id'].map((key) => {
    const value: unknown = contents.get(key)
    return typeof value === 'string' ? value : undefined
  })
  if (silent || command === undefined) return
  await hintUnsent(
    context,
    command,
    { archive, project_id: project },
    `Send the directory: gpuq submit . ${path}`,
  )
}

/** What to do instead of submitting a file that is no Python program. */
const alternatives: Alternatives = {
  archive: 'unpack it, and submit its directory: gpuq submit DIRECTORY',
  config: (name) => `submit it after its program: gpuq submit PROGRAM.py ${name}`,
  script: (name) =>
    name.endsWith('.sh')
      ? `submit its directory: gpuq submit DIRECTORY --entrypoint ${name}`
      : 'run it in its directory: gpuq run --command COMMAND DIRECTORY',
}

/** @throws if the file cannot be read, or is a notebook, an archive or a script for another program than Python. */
async function readProgram(path: string): Promise<Blob> {
  const code = await readTextFile(path)
  const why = refuseProgram(new Uint8Array(await code.arrayBuffer()), basename(path), alternatives)
  if (why !== null) throw invalidRequest(`${path} ${why}.`)
  return code
}
