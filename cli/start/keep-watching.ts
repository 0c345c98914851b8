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

interface Watching {
  client: Client
  server: string
  me: User
  journal: StartLog
  jobsFile: string
  llmConfig: string
  stateFile: string
  /** Seconds. */
  monitorInterval: number
  /** Seconds. */
  stateInterval: number
  lines: LineOptions
}

/** Watches the files until `signal` ends it; what is being sent then is sent to its end. */
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
      // First: what a line needs is settled when it is sent.
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
    await sleep(stateInterval * 1_000, undefined, { signal }).catch(() => {})
  }
}

/** A disk that is full, or a file that may not be written, is said once, and does not stop the rest. */
function keepTrying<T>(journal: StartLog, work: () => Promise<T>): () => Promise<T | null> {
  let said = ''
  return async () => {
    try {
      const result = await work()
      said = ''
      return result
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      if (said !== text) await journal.warn(`${text}. It is tried again.`)
      said = text
      return null
    }
  }
}

/** A server that began anew has another account of the same name: what the old one took says nothing of it. */
function nameAccount({ me }: Watching): string {
  return createHash('sha256').update(`${me.user_id} ${me.created_at}`).digest('hex').slice(0, 16)
}
