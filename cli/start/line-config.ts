import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { stringify } from 'yaml'
import { errorCode } from '../files'
import { withoutControls } from '../terminal/terminal'
import type { JobLine } from './jobs-file'

/** Options that apply to every line. */
export interface LineOptions {
  /** Gives each job a terminal for `gpuq attach`. */
  tty?: boolean
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
export function toLineConfig(line: JobLine, options: LineOptions): string {
  return stringify({
    competition_id: 'default',
    project_id: 'default',
    expected_time: assumedSeconds,
    max_time: maxSeconds,
    name: withoutControls(basename(line.script)).slice(0, 200),
    environment: line.condaEnv || undefined,
    // Subtract from zero to avoid minus zero.
    priority: 0 - line.priority,
    args: line.args,
    allowed_gpus: line.allowedGpus || undefined,
    cuda_argument: true,
    tty: options.tty || undefined,
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
