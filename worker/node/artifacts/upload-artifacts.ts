import { uuidv7 } from 'uuidv7'
import { retry } from '@/lib/async/retry'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { recordArtifact, recordedPaths } from '@/lib/cluster/tasks/task-artifacts'
import { type ClaimedTask, Fenced } from '@/lib/cluster/tasks/tasks'
import type { EndReason } from '@/lib/contract/reasons'
import { visibleText } from '@/lib/contract/sanitize-text'
import type { Outcome } from '@/lib/jobs/lifecycle/attempt-end'
import { logger } from '@/lib/logger'
import { artifactKey } from '@/lib/results/name'
import { storage } from '@/lib/storage/storage'
import { StorageFault } from '@/lib/storage/store'
import { retryWrite } from '../lease/retry-write'
import { artifactsDirectory, isOpen } from './artifacts-directory'
import { type FoundArtifact, findArtifacts, type PassedOver } from './find-artifacts'

/** A verdict waits for what the job left, but not for ever: so long in all. */
const patienceMs = 10 * 60_000
/** Somebody waits for a cancelled job to be gone; and when one of several tasks has failed, the others are to stop. */
const shortPatienceMs = 10_000
/** A store that takes nothing for so long is down. */
const downMs = 60_000
const atOnce = 8
/** Another attempt will write these again. */
const attemptIsRepeated: ReadonlySet<EndReason> = new Set([
  'preempted',
  'worker_stopped',
  'node_lost',
  'internal_error',
])

interface ResultsOf {
  lease: Lease
  task: ClaimedTask
  /** Where /results is on this host. */
  directory: string
  limitBytes: number
  /** Aborted when this worker may do nothing more. */
  abandoned: AbortSignal
}

/**
 * Stores what a task left in /results, once its container has ended. Safe to repeat: what is recorded is not stored again.
 * @returns a sentence about what was not kept, for the job; null when all was.
 * @throws {Fenced}
 */
async function uploadArtifacts(results: ResultsOf, reason: EndReason): Promise<string | null> {
  if (attemptIsRepeated.has(reason) || !(await isOpen(results.directory))) return null
  try {
    const { found, passedOver } = await findArtifacts(results.directory, results.limitBytes)
    if (found.length === 0) return describeMissing(passedOver)
    const hurried = reason.startsWith('cancelled') || (results.task.instances > 1 && reason !== 'finished')
    const patience = hurried ? shortPatienceMs : patienceMs
    const keeper = new Keeper(results, performance.now() + patience)
    return describeMissing([...passedOver, ...(await keeper.keepAll(found))])
  } catch (error) {
    if (error instanceof Fenced || results.abandoned.aborted) throw error
    logger.error({ err: error, task: results.task.id }, 'the files of a task could not be kept')
    return 'The files in /results could not be kept: the node could not read them.'
  }
}

/** The outcome of a task with what is to be said of its /results, once they are stored. @throws {Fenced} */
export async function withResults(
  host: { lease: Lease; tasksDirectory: string; resultsLimitBytes: number | null },
  task: ClaimedTask,
  outcome: Outcome,
  abandoned: AbortSignal,
): Promise<Outcome> {
  const { lease, tasksDirectory, resultsLimitBytes: limitBytes } = host
  if (limitBytes === null) return outcome
  const directory = artifactsDirectory(tasksDirectory, task.id)
  const missing = await uploadArtifacts({ lease, task, directory, limitBytes, abandoned }, outcome.reason)
  return missing === null
    ? outcome
    : { ...outcome, detail: [outcome.detail, missing].filter(Boolean).join(' ') }
}

class Keeper {
  /** When the store began to refuse; null: it took the last one. */
  #refusingSince: number | null = null

  constructor(
    readonly results: ResultsOf,
    readonly deadline: number,
  ) {}

  async keepAll(found: FoundArtifact[]): Promise<PassedOver[]> {
    const { task, abandoned } = this.results
    const recorded = await retryWrite(abandoned, 'artifacts', () => recordedPaths(task))
    const waiting = found.filter(({ path }) => !recorded.has(path)).values()
    const passedOver: PassedOver[] = []
    const work = async () => {
      for (const file of waiting) {
        if (!(await this.#keep(file)))
          passedOver.push({ path: file.path, why: 'the storage did not take it in time' })
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return passedOver
  }

  get #isOver(): boolean {
    const now = performance.now()
    return now > this.deadline || (this.#refusingSince !== null && now > this.#refusingSince + downMs)
  }

  /** False when the store did not take it. */
  async #keep(file: FoundArtifact): Promise<boolean> {
    const { lease, task, abandoned } = this.results
    const id = uuidv7()
    const key = artifactKey(task, id)
    const store = async () => {
      if (abandoned.aborted) throw new Fenced(task.id)
      if (this.#isOver) return false
      const stored = await storage().write(key, this.#read(file))
      this.#refusingSince = null
      await retryWrite(abandoned, 'artifact', () =>
        recordArtifact(lease, task, { id, path: file.path, ...stored }),
      )
      return true
    }
    const onFailure = async (error: unknown) => {
      if (!(error instanceof StorageFault)) throw error
      this.#refusingSince ??= performance.now()
      logger.warn({ err: error, task: task.id }, 'a file of /results could not be stored, trying again')
      await storage()
        .remove(key)
        .catch(() => undefined)
    }
    try {
      return await retry(store, { firstMs: 500, longestMs: 5_000, signal: abandoned, onFailure })
    } catch (error) {
      if (error instanceof OutOfTime) return false
      throw error
    }
  }

  async *#read(file: FoundArtifact): AsyncGenerator<Buffer> {
    const handle = await file.open()
    try {
      for await (const part of handle.createReadStream({
        end: Math.max(0, file.bytes - 1),
        autoClose: false,
      })) {
        if (performance.now() > this.deadline) throw new OutOfTime()
        yield part
      }
    } finally {
      await handle.close()
    }
  }
}

class OutOfTime extends Error {}

const mostNamed = 3

function describeMissing(passedOver: PassedOver[]): string | null {
  if (passedOver.length === 0) return null
  const named = passedOver.slice(0, mostNamed).map(({ path, why }) => `${visibleText(path, 80)} (${why})`)
  const more = passedOver.length > mostNamed ? ` and ${passedOver.length - mostNamed} more` : ''
  const what =
    passedOver.length === 1 ? 'One file of /results was' : `${passedOver.length} files of /results were`
  return `${what} not kept: ${named.join(', ')}${more}.`
}
