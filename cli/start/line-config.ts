import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { stringify } from 'yaml'
import { withoutControls } from '../terminal/terminal'
import type { JobLine } from './jobs-file'

/** What is the same for every line of a start. */
export interface LineOptions {
  /** Each job gets a terminal, to which people can attach. */
  tty?: boolean
  maxAssignAttempts?: number
  /** Seconds. */
  assignRetryWait?: number
}

/** What a forecast goes by: a line says nothing of how long its job takes. */
const assumedSeconds = 3600
/** The longest that a config may name. The server's own ceiling holds below it. */
const longestSeconds = 30 * 24 * 3600
const mostBytes = 1024 * 1024

/** The config.yaml that a line stands for. Whether its values may be is for the server to say. */
export function toLineConfig(line: JobLine, options: LineOptions): string {
  const config = {
    competition_id: 'default',
    project_id: 'default',
    expected_time: assumedSeconds,
    max_time: longestSeconds,
    name: withoutControls(basename(line.script)).slice(0, 200),
    environment: line.condaEnv || undefined,
    // Zero is subtracted from, or nothing would become minus zero.
    priority: 0 - line.priority,
    args: line.args,
    allowed_gpus: line.allowedGpus || undefined,
    cuda_argument: true,
    tty: options.tty || undefined,
    max_assign_attempts: options.maxAssignAttempts,
    assign_retry_wait: options.assignRetryWait,
  }
  return stringify(Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)))
}

/** Why a script cannot be uploaded; null when it can. */
export async function refuseScript(path: string): Promise<string | null> {
  try {
    const found = await stat(path)
    if (!found.isFile()) return `${path} is no file`
    if (found.size === 0) return `${path} is empty`
    return found.size > mostBytes ? `${path} is larger than 1 MiB` : null
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? `there is no ${path}`
      : `${path} cannot be read (${code})`
  }
}
