import { ChangeSignal } from '@/lib/async/change-signal'
import { listener } from '@/lib/database/listen'
import { logger } from '@/lib/logger'
import { jobsWithoutResult, storeResult } from '@/lib/results/result-files'

const pollIntervalMs = 2_000
/** Retry interval after a failure, for example a full disk. */
const retryIntervalMs = 5_000
const maxConcurrent = 4

/**
 * Stores the output of ended jobs as files, until `signal` is aborted. On failure the output stays in the database.
 */
export async function storeResults(signal: AbortSignal): Promise<void> {
  const wake = new ChangeSignal(signal)
  const stop = await listener().listen('queue', wake.notify)
  const failures = new Failures()
  try {
    while (!signal.aborted) {
      try {
        // Skips recent failures, so that a result that cannot be stored does not delay those after it.
        const ids = failures
          .exclude(await jobsWithoutResult(maxConcurrent + failures.size))
          .slice(0, maxConcurrent)
        // Waits for all before retrying any, because two writers of one result would undo each other.
        const stored = await Promise.all(ids.map((id) => tryToStore(id, failures)))
        if (ids.length === maxConcurrent && stored.includes(true)) continue
      } catch (error) {
        logger.error({ err: error }, 'could not look up the results to store')
      }
      await wake.wait(pollIntervalMs)
    }
  } finally {
    stop()
  }
}

async function tryToStore(id: string, failures: Failures): Promise<boolean> {
  try {
    await storeResult(id)
    failures.remove(id)
    return true
  } catch (error) {
    logger.error({ err: error, job: id }, 'could not store a result; its output stays in the database')
    failures.add(id)
    return false
  }
}

/** Results that could not be stored, with their next retry. */
class Failures {
  readonly #retryAt = new Map<string, number>()

  get size(): number {
    return this.#retryAt.size
  }

  add(id: string): void {
    this.#retryAt.set(id, performance.now() + retryIntervalMs)
  }

  remove(id: string): void {
    this.#retryAt.delete(id)
  }

  /** Returns the given ids without recent failures. */
  exclude(ids: string[]): string[] {
    const now = performance.now()
    return ids.filter((id) => (this.#retryAt.get(id) ?? 0) <= now)
  }
}
