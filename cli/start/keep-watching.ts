import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { User } from '@/lib/contract/access'
import type { Client } from '@/lib/http/client/client'
import { FileChangeSignal } from './change-signal'
import { ClaimLogFile } from './claim-log-file'
import { JobsWatch } from './jobs-watch'
import type { LineOptions } from './line-config'
import { ModelsWatch } from './models-watch'
import type { StartLog } from './start-log'
import { StateWatch } from './state-watch'

interface WatchOptions {
  client: Client
  server: string
  me: User
  log: StartLog
  jobsFile: string
  llmConfig: string
  stateFile: string
  /** In seconds. */
  monitorInterval: number
  /** In seconds. */
  stateInterval: number
  lines: LineOptions
}

/** Watches the files until `signal` is aborted. A request in progress is completed. */
export async function keepWatching(options: WatchOptions, signal: AbortSignal): Promise<void> {
  await Promise.all([watchJobs(options, signal), watchState(options, signal)])
}

async function watchJobs(options: WatchOptions, signal: AbortSignal): Promise<void> {
  const { client, log, jobsFile, llmConfig, lines } = options
  const everyMs = options.monitorInterval * 1_000
  const claims = new ClaimLogFile(`${jobsFile}.taken`, toAccountKey(options))
  const models = new ModelsWatch({ path: llmConfig, client, log })
  const jobs = new JobsWatch({
    path: jobsFile,
    client,
    claims,
    log,
    lines,
    forgetMs: everyMs,
    newKey: randomUUID,
    now: () => performance.now(),
  })
  const changes = new FileChangeSignal([jobsFile, llmConfig])
  try {
    const look = reportFailures(log, async () => {
      // Models first: they determine the GPUs of each line.
      await models.check()
      return jobs.check(signal)
    })
    while (!signal.aborted) {
      const nextMs = await look()
      await changes.wait(Math.min(everyMs, nextMs ?? everyMs), signal)
    }
  } finally {
    changes.close()
    await claims.close()
  }
}

async function watchState(options: WatchOptions, signal: AbortSignal): Promise<void> {
  const { client, log, stateFile: path, server, stateInterval } = options
  const state = new StateWatch({ path, server, client, log })
  const look = reportFailures(log, () => state.check())
  while (!signal.aborted) {
    await look()
    await sleep(stateInterval * 1_000, undefined, { signal }).catch(() => {})
  }
}

/** Reports a failure once, such as a full disk, and keeps the other files working. */
function reportFailures<T>(log: StartLog, work: () => Promise<T>): () => Promise<T | null> {
  let lastWarning = ''
  return async () => {
    try {
      const result = await work()
      lastWarning = ''
      return result
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      if (lastWarning !== text) await log.warn(`${text}. Retrying.`)
      lastWarning = text
      return null
    }
  }
}

/**
 * Identifies the account and the server's database: claims of an earlier database do not apply to a new one.
 */
function toAccountKey({ me }: WatchOptions): string {
  return createHash('sha256').update(`${me.user_id} ${me.created_at}`).digest('hex').slice(0, 16)
}
