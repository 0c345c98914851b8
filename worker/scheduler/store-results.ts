import { ChangeSignal } from '@/lib/async/change-signal'
import { listener } from '@/lib/database/listen'
import { logger } from '@/lib/logger'
import { jobsWithoutResult, storeResult } from '@/lib/results/result-files'

const lookEveryMs = 2_000
/** After a failure, a full disk for one, the next try waits this long. */
const retryEveryMs = 5_000
const atOnce = 4

/** Turns the output of ended jobs into their files, until `signal` ends it. What fails stays in the database. */
export async function storeResults(signal: AbortSignal): Promise<void> {
  const wake = new ChangeSignal(signal)
  const stop = await listener().listen('queue', wake.notify)
  const failures = new Failures()
  try {
    while (!signal.aborted) {
      try {
        // Beyond those that failed a moment ago: a result that cannot be stored must not hold up those after it.
        const ids = failures.without(await jobsWithoutResult(atOnce + failures.size)).slice(0, atOnce)
        // All have come to their end before any of them is tried again: two that write one result would undo each other.
        const stored = await Promise.all(ids.map((id) => tryToStore(id, failures)))
        if (ids.length === atOnce && stored.includes(true)) continue
      } catch (error) {
        logger.error({ err: error }, 'the results to store could not be looked for')
      }
      await wake.wait(lookEveryMs)
    }
  } finally {
    stop()
  }
}

async function tryToStore(id: string, failures: Failures): Promise<boolean> {
  try {
    await storeResult(id)
    failures.forget(id)
    return true
  } catch (error) {
    logger.error({ err: error, job: id }, 'a result could not be stored; its output stays in the database')
    failures.note(id)
    return false
  }
}

/** Results that could not be stored, and when to try them again. */
class Failures {
  readonly #retryAt = new Map<string, number>()

  get size(): number {
    return this.#retryAt.size
  }

  note(id: string): void {
    this.#retryAt.set(id, performance.now() + retryEveryMs)
  }

  forget(id: string): void {
    this.#retryAt.delete(id)
  }

  /** The given ones but for those that failed a moment ago. */
  without(ids: string[]): string[] {
    const now = performance.now()
    return ids.filter((id) => (this.#retryAt.get(id) ?? 0) <= now)
  }
}
