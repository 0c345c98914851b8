import { createHash, randomUUID } from 'node:crypto'
import type { User } from '@/lib/contract/access'
import type { Client } from '@/lib/http/client/client'
import { FileChangeSignal, pause } from './change-signal'
import { ClaimLogFile } from './claim-log-file'
import { JobsWatch } from './jobs-watch'
import type { LineOptions } from './line-config'
import { ModelsWatch } from './models-watch'
import type { StartLog } from './start-log'
import { StateWatch } from './state-watch'

export interface Watching {
  client: Client
  server: string
  me: User
  journal: StartLog
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
export async function keepWatching(watching: Watching, signal: AbortSignal): Promise<void> {
  await Promise.all([keepTaking(watching, signal), keepState(watching, signal)])
}

async function keepTaking(watching: Watching, signal: AbortSignal): Promise<void> {
  const { client, journal, jobsFile, llmConfig, lines } = watching
  const everyMs = watching.monitorInterval * 1_000
  const taken = new ClaimLogFile(`${jobsFile}.taken`, nameAccount(watching))
  const models = new ModelsWatch({ path: llmConfig, client, journal })
  const jobs = new JobsWatch({
    path: jobsFile,
    client,
    taken,
    journal,
    lines,
    forgetMs: everyMs,
    newKey: randomUUID,
    now: () => performance.now(),
  })
  const bell = new FileChangeSignal([jobsFile, llmConfig])
  try {
    const look = keepTrying(journal, async () => {
      // Models first: they determine the GPUs of each line.
      await models.look()
      return jobs.look(signal)
    })
    while (!signal.aborted) {
      const soonMs = await look()
      await bell.wait(Math.min(everyMs, soonMs ?? everyMs), signal)
    }
  } finally {
    bell.close()
    await taken.close()
  }
}

async function keepState(watching: Watching, signal: AbortSignal): Promise<void> {
  const { client, journal, stateFile: path, server, stateInterval } = watching
  const state = new StateWatch({ path, server, client, journal })
  const look = keepTrying(journal, () => state.look())
  while (!signal.aborted) {
    await look()
    await pause(stateInterval * 1_000, signal)
  }
}

/** Reports a failure once, such as a full disk, and keeps the other files working. */
function keepTrying<T>(journal: StartLog, work: () => Promise<T>): () => Promise<T | null> {
  let said = ''
  return async () => {
    try {
      const result = await work()
      said = ''
      return result
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      if (said !== text) await journal.warn(`${text}. Retrying.`)
      said = text
      return null
    }
  }
}

/**
 * Identifies the account and the server's database: claims of an earlier database do not apply to a new one.
 */
function nameAccount({ me }: Watching): string {
  return createHash('sha256').update(`${me.user_id} ${me.created_at}`).digest('hex').slice(0, 16)
}
