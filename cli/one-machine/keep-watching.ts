import { createHash, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { sleep } from '@/lib/async/sleep'
import type { Me } from '@/lib/contract/access/access'
import type { Client } from '@/lib/http/client/client'
import type { Connection } from '../config'
import type { Terminal } from '../console/terminal'
import { type StartLog, warnOnChange } from '../follow/start-log'
import { lastWatched, watchJobs } from '../follow/watch-jobs'
import { ClaimLogFile } from './claim-log-file'
import { FileChangeSignal } from './file-change-signal'
import { JobsWatch } from './jobs-watch'
import { ModelsWatch } from './models-watch'
import type { FindScriptFiles } from './script-files'
import type { LineOptions } from './send-line'
import { StateWatch } from './state-watch'

/** The options of `gpuq start` for the files. */
export interface FileOptions extends LineOptions {
  jobsFile: string
  llmConfig: string
  stateFile: string
  /** The directory for the jobs' log files. */
  logDir: string
  /** In seconds. */
  monitorInterval: number
  /** In seconds. */
  stateInterval: number
}

interface Watching {
  client: Client
  connection: Connection
  me: Me
  env: NodeJS.ProcessEnv
  terminal: Terminal
  log: StartLog
  options: FileOptions
  findFiles: FindScriptFiles
  /** Its jobs end with this command. */
  endsJobs: boolean
}

/** Watches the files until `signal` is aborted. A request in progress is completed. */
export async function keepWatching(watching: Watching, signal: AbortSignal): Promise<void> {
  const { client, connection, env, terminal, log, options, endsJobs } = watching
  const { logDir, screen = false } = options
  const sinceMs = await lastWatched(options.stateFile)
  const paths = [resolve(options.jobsFile), resolve(options.llmConfig)]
  const changes = new FileChangeSignal(paths, signal)
  try {
    await Promise.all([
      watchLines(watching, changes, signal),
      watchState(watching, changes, signal),
      watchJobs({ client, connection, env, terminal, log, logDir, screen, endsJobs, sinceMs }, signal),
    ])
  } finally {
    changes.close()
  }
}

function openClaims({ me, options }: Watching): ClaimLogFile {
  return new ClaimLogFile(`${resolve(options.jobsFile)}.taken`, toAccountKey(me))
}

async function watchLines(watching: Watching, changes: FileChangeSignal, signal: AbortSignal): Promise<void> {
  const { client, log, options, findFiles } = watching
  const everyMs = options.monitorInterval * 1_000
  const path = resolve(options.jobsFile)
  const modelsPath = resolve(options.llmConfig)
  const claims = openClaims(watching)
  const models = new ModelsWatch({ path: modelsPath, client, log })
  const jobs = new JobsWatch({
    path,
    client,
    claims,
    log,
    lines: options,
    findFiles,
    forgetMs: everyMs,
    newKey: randomUUID,
    now: () => performance.now(),
  })
  try {
    const check = reportFailures(log, async () => {
      // Models first: they determine the GPUs of each line.
      await models.check()
      return jobs.check(signal)
    })
    while (!signal.aborted) {
      const nextMs = await check()
      await changes.wait(Math.min(everyMs, nextMs ?? everyMs))
    }
  } finally {
    await claims.close()
  }
}

async function watchState(watching: Watching, changes: FileChangeSignal, signal: AbortSignal): Promise<void> {
  const { client, log, options, connection } = watching
  const { server } = connection
  const claims = openClaims(watching)
  const onReset = () => changes.notify()
  const state = new StateWatch({ path: resolve(options.stateFile), server, client, log, claims, onReset })
  const check = reportFailures(log, () => state.check())
  try {
    while (!signal.aborted) {
      await check()
      await sleep(options.stateInterval * 1_000, signal)
    }
  } finally {
    await claims.close()
  }
}

/** Reports a failure once, such as a full disk, and keeps the other files working. */
function reportFailures<T>(log: StartLog, work: () => Promise<T>): () => Promise<T | null> {
  const warn = warnOnChange(log)
  return async () => {
    try {
      const result = await work()
      await warn('')
      return result
    } catch (error) {
      await warn(`${error instanceof Error ? error.message : String(error)}. Retrying.`)
      return null
    }
  }
}

/**
 * Identifies the account and the server's database: claims of an earlier database do not apply to a new one.
 */
function toAccountKey({ user_id, created_at }: Me): string {
  return createHash('sha256').update(`${user_id} ${created_at}`).digest('hex').slice(0, 16)
}
