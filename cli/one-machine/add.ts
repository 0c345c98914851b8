import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { invalidRequest, notFound } from '@/lib/contract/errors'
import { ProblemError } from '@/lib/http/client/problem'
import { resolveConnection } from '../config'
import { type Context, print } from '../context'
import { readTextFile } from '../declare/values'
import { note } from '../job/show-job'
import { submitOnce } from '../job/submit-once'
import { uploadBeside } from '../pack/upload-directory'
import { formatJobLine, type JobLine, readJobLine } from './jobs-file'
import { isScreenMode } from './screen-mode'
import { allowsHostFiles, isolated, onThisMachine } from './script-files'
import { refuseScript, toLineConfig } from './send-line'

interface AddOptions {
  conda?: string
  args?: string
  /** Lower numbers start first. */
  priority: number
  gpus?: string
  outputFile?: string
  force?: boolean
  /** Uploads the script's directory. */
  withDir?: boolean
  isolated?: boolean
  json?: boolean
}

/** Queues a script as a line of a jobs file would, or appends that line to a file. */
export async function add(context: Context, given: string, options: AddOptions): Promise<number> {
  const script = resolve(given)
  const refused = await refuseScript(script)
  if (refused !== null) throw notFound(`Cannot queue the script: ${refused}.`)
  const { conda = '', args = '', gpus = '', priority } = options
  const line: JobLine = { priority, script, condaEnv: conda.trim(), args: args.trim(), allowedGpus: gpus }
  const { outputFile } = options
  return outputFile === undefined ? queue(context, line, options) : write(context, line, outputFile, options)
}

async function queue(context: Context, line: JobLine, options: AddOptions): Promise<number> {
  const { force, withDir, json } = options
  const client = await context.connect()
  const inPlace = !withDir && !options.isolated && (await allowsHostFiles(await client.users.me()))
  const files = await (inPlace ? onThisMachine(context.env) : isolated)(line.script, line.condaEnv)
  if (!files.ok) throw notFound(`Cannot queue the script: ${files.message}.`)
  const screen = await isScreenMode(context.env, (await resolveConnection(context.env)).server)
  const config = toLineConfig(line, { screen }, files.keys)
  const submission = { code: await readTextFile(line.script), config, deduplicate: !force }
  const send = async () => {
    if (!withDir) return submitOnce(context, submission, json)
    await client.jobs.check(submission)
    const sent = await uploadBeside(context, line.script, config, json)
    return submitOnce(context, { ...submission, config: sent }, json)
  }
  const submitted = await send().catch((error: unknown) => {
    throw withEnvironments(error, files.hint)
  })
  if (submitted.deduplicated && !json) {
    await note(context, `the same job is already ${submitted.status}; use --force to queue it again`)
  }
  return print(context, json, submitted, `${submitted.job_id}\n`)
}

/** Says which conda environments this machine has, if the server does not know the named one either. */
function withEnvironments(error: unknown, hint: string): unknown {
  const isUnknown = error instanceof ProblemError && error.messageFor('environment') !== undefined
  if (!isUnknown || hint === '') return error
  return notFound(`${error.message.replace(/^config_file: /, '').replace(/\.$/, '')}; ${hint}.`)
}

async function write(
  context: Context,
  line: JobLine,
  outputFile: string,
  { force, withDir, isolated, json }: AddOptions,
): Promise<number> {
  if (force || withDir || isolated) {
    const option = force ? '--force' : withDir ? '--with-dir' : '--isolated'
    const message = `${option} cannot be used with --output-file: the jobs file has no field for it.`
    throw invalidRequest(`${message} Omit --output-file to queue the job directly.`)
  }
  const text = formatJobLine(line)
  const read = readJobLine(text)
  if (!read.ok) throw invalidRequest(`Cannot write this job as a line: ${read.message}.`)
  await appendLine(outputFile, text)
  const written = { file: resolve(outputFile), line: text }
  return print(context, json, written, `Appended to ${outputFile}: ${text}\n`)
}

/**
 * Appends with a single write, so that concurrent writers do not interleave. Adds a line break first if the
 * last line has none.
 */
async function appendLine(path: string, text: string): Promise<void> {
  const file = await open(path, 'a+')
  try {
    const { size } = await file.stat()
    const last = Buffer.alloc(1)
    if (size > 0) await file.read(last, 0, 1, size - 1)
    const before = size > 0 && last[0] !== 0x0a ? '\n' : ''
    await file.appendFile(`${before}${text}\n`)
  } finally {
    await file.close()
  }
}
