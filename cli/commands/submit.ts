import { basename } from 'node:path'
import { type Alternatives, refuseProgram } from '@/lib/contract/config/program/program-kind'
import { invalidRequest } from '@/lib/contract/errors'
import type { Context } from '../context'
import { readTextFile } from '../declare/values'
import { otherSubmissions } from '../features'
import { isDirectory } from '../files'
import { printDryRun } from '../job/dry-run'
import { followOrPrint, type WaitOptions } from '../job/follow-submitted'
import { withOptionErrors } from '../job/option-errors'
import type { OtherSubmission } from '../job/other-submission'
import { submitOnce } from '../job/submit-once'
import { type ConfigOptions, requireOneDirectory, toConfigText } from '../job/upload-config'
import { uploadBeside, uploadProgram } from '../pack/upload-directory'

interface SubmitOptions extends ConfigOptions, WaitOptions {
  /** Uploads the directory of the program. */
  withDir?: boolean
  dryRun?: boolean
}

/** Uploads a program, or a directory that has one, and follows the job until it ends. */
export async function submit(
  context: Context,
  solution: string,
  configPath: string | undefined,
  { wait, quiet, json, deduplicate, dryRun, withDir = false, ...options }: SubmitOptions,
): Promise<number> {
  if (configPath !== undefined && Object.keys(options).length > 0) {
    throw invalidRequest(
      'CONFIG.yaml cannot be combined with job options. Use either the file or the options.',
    )
  }
  const ofDirectory = await isDirectory(solution)
  requireOneDirectory(options, withDir || ofDirectory)
  const code = ofDirectory ? undefined : await readProgram(solution)
  const given = configPath === undefined ? toConfigText(options) : await readTextFile(configPath)
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
  return followOrPrint(context, submitted, { wait, quiet, json })
}

/** Finds what submits a config that is not that of one job. */
async function findOther(config: Blob | string): Promise<OtherSubmission | undefined> {
  const text = typeof config === 'string' ? config : await config.text()
  return otherSubmissions.find(({ matches }) => matches(text))
}

/** What to do instead of submitting a file that is no Python program. */
const alternatives: Alternatives = {
  archive: 'unpack it, and submit its directory: gpuq submit DIRECTORY',
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
