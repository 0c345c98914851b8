import { createHash, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { sleep } from '@/lib/async/sleep'
import type { User } from '@/lib/contract/access/access'
import type { Client } from '@/lib/http/client/client'
import { ClaimLogFile } from './claim-log-file'
import { FileChangeSignal } from './file-change-signal'
import { JobsWatch } from './jobs-watch'
import { ModelsWatch } from './models-watch'
import type { LineOptions } from './send-line'
import { type StartLog, warnOnChange } from './start-log'
import { StateWatch } from './state-watch'

/** The options of `gpuq start` for the files. */
export interface FileOptions extends LineOptions {
  jobsFile: string
  llmConfig: string
  stateFile: string
  /** In seconds. */
  monitorInterval: number
  /** In seconds. */
  stateInterval: number
}

interface Watching {
  client: Client
  server: string
  me: User
  log: StartLog
  options: FileOptions
}

/** Watches the files until `signal` is aborted. A request in progress is completed. */
export async function keepWatching(watching: Watching, signal: AbortSignal): Promise<void> {
  await Promise.all([watchJobs(watching, signal), watchState(watching, signal)])
}

async function watchJobs({ client, log, me, options }: Watching, signal: AbortSignal): Promise<void> {
  const everyMs = options.monitorInterval * 1_000
  const path = resolve(options.jobsFile)
  const modelsPath = resolve(options.llmConfig)
  const claims = new ClaimLogFile(`${path}.taken`, toAccountKey(me))
  const models = new ModelsWatch({ path: modelsPath, client, log })
  const jobs = new JobsWatch({
    path,
    client,
    claims,
    log,
    lines: options,
    forgetMs: everyMs,
    newKey: randomUUID,
    now: () => performance.now(),
  })
  const changes = new FileChangeSignal([path, modelsPath], signal)
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
    changes.close()
    await claims.close()
  }
}

async function watchState({ client, log, server, options }: Watching, signal: AbortSignal): Promise<void> {
  const state = new StateWatch({ path: resolve(options.stateFile), server, client, log })
  const check = reportFailures(log, () => state.check())
  while (!signal.aborted) {
    await check()
    await sleep(options.stateInterval * 1_000, signal)
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
function toAccountKey({ user_id, created_at }: User): string {
  return createHash('sha256').update(`${user_id} ${created_at}`).digest('hex').slice(0, 16)
}
