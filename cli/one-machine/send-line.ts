import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { stringify } from 'yaml'
import { defaultProject } from '@/lib/contract/access/project-kinds'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { withoutControls } from '../console/terminal'
import { errorCode } from '../files'
import type { JobLine } from './jobs-file'
import type { FindScriptFiles, ScriptKeys } from './script-files'

/** The result of sending a line. */
export type SendResult =
  /** `job` is null if an earlier request sent the line and its job id is unknown. */
  | { kind: 'queued' | 'known'; job: string | null; message: string }
  /** `forGood`: the server rejected it, and a retry would not help. */
  | { kind: 'bad'; message: string; forGood: boolean }
  /** The server is unavailable or at its limit: send again after this many milliseconds. */
  | { kind: 'later'; message: string; ms: number }

interface LineToSend {
  line: JobLine
  /** The absolute path. */
  script: string
  /** The same key never creates a second job. */
  key: string
  options: LineOptions
  findFiles: FindScriptFiles
}

const retryMs = 5_000
const refusals = [400, 413, 415, 422]

/** Submits a line, unless an identical job is active or completed. */
export async function sendLine(
  client: Pick<Client, 'jobs'>,
  { line, script, key, options, findFiles }: LineToSend,
): Promise<SendResult> {
  const code = await readScript(script)
  if (typeof code === 'string') return { kind: 'bad', message: code, forGood: false }
  const files = await findFiles(script, line.condaEnv)
  if (!files.ok) return { kind: 'bad', message: files.message, forGood: false }
  try {
    const config = toLineConfig(line, options, files.keys)
    const submission = { code, config, idempotencyKey: key, deduplicate: true }
    const { job_id: job, status, deduplicated } = await client.jobs.submit(submission)
    if (deduplicated) return { kind: 'known', job, message: `already exists: job ${job}, ${status}` }
    return { kind: 'queued', job, message: `submitted as job ${job}` }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return classifyError(error, files.hint)
  }
}

/** Distinguishes permanent from temporary refusals. */
function classifyError(error: ProblemError, hint: string): SendResult {
  if (error.messageFor('Idempotency-Key') !== undefined) {
    return { kind: 'known', job: null, message: 'already submitted, with different content' }
  }
  if (refusals.includes(error.status)) {
    const message = error.message.replace(/^config_file: /, '').replace(/\.$/, '')
    if (hint === '' || error.messageFor('environment') === undefined)
      return { kind: 'bad', message, forGood: true }
    // The environment may be created later.
    return { kind: 'bad', message: `${message}; ${hint}`, forGood: false }
  }
  const message = `The server accepts no more jobs at the moment: ${error.message} Retrying later.`
  return { kind: 'later', message, ms: Math.max(1_000, (error.retryAfter ?? 0) * 1_000 || retryMs) }
}

/** The content of the script, or the reason why it cannot be read. */
async function readScript(path: string): Promise<Blob | string> {
  const refused = await refuseScript(path)
  if (refused !== null) return refused
  try {
    return new Blob([await readFile(path)])
  } catch (error) {
    return `cannot read ${path} (${error instanceof Error ? error.message : String(error)})`
  }
}

/** Options that apply to every line. */
export interface LineOptions {
  /** Gives each job a terminal for `gpuq attach`. */
  screen?: boolean
  maxAssignAttempts?: number
  /** In seconds. */
  assignRetryWait?: number
}

/** The assumed duration for forecasts. A line has no estimate. */
const assumedSeconds = 3600
/** The longest duration that a config allows. The limit of the server may be lower. */
const maxSeconds = 30 * 24 * 3600
const maxBytes = 1024 * 1024

/** Returns the config.yaml for a line. The server validates the values. */
export function toLineConfig(line: JobLine, options: LineOptions, files: ScriptKeys): string {
  return stringify({
    competition_id: 'default',
    project_id: defaultProject,
    expected_time: assumedSeconds,
    max_time: maxSeconds,
    name: withoutControls(basename(line.script)).slice(0, 200),
    ...files,
    // Subtract from zero to avoid minus zero.
    priority: 0 - line.priority,
    args: line.args,
    allowed_gpus: line.allowedGpus || undefined,
    cuda_argument: true,
    tty: options.screen || undefined,
    max_assign_attempts: options.maxAssignAttempts,
    assign_retry_wait: options.assignRetryWait,
  })
}

/** The reason why a script cannot be uploaded, or null. */
export async function refuseScript(path: string): Promise<string | null> {
  try {
    const found = await stat(path)
    if (!found.isFile()) return `${path} is not a file`
    if (found.size === 0) return `${path} is empty`
    return found.size > maxBytes ? `${path} is larger than 1 MiB` : null
  } catch (error) {
    const code = errorCode(error)
    return code === 'ENOENT' || code === 'ENOTDIR' ? `${path} not found` : `cannot read ${path} (${code})`
  }
}
