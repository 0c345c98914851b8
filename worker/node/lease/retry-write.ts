import { sleep } from '@/lib/async/sleep'
import { Fenced } from '@/lib/cluster/tasks/tasks'
import { logger } from '@/lib/logger'

/** Classes of permanent PostgreSQL errors: invalid data, constraint violations, invalid SQL. */
const permanentErrors = /^(22|23|42)/

/**
 * Retries a write until it succeeds, the worker is fenced off, or `signal` is aborted. Throws permanent errors
 * immediately. The write must be idempotent.
 */
export async function retryWrite<T>(signal: AbortSignal, what: string, write: () => Promise<T>): Promise<T> {
  for (let wait = 50; ; wait = Math.min(wait * 2, 1_000)) {
    try {
      return await write()
    } catch (error) {
      if (error instanceof Fenced || signal.aborted || isPermanent(error)) throw error
      logger.warn({ err: error }, `${what}: the database did not accept the write, retrying`)
      await sleep(wait, signal)
    }
  }
}

function isPermanent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && permanentErrors.test(String(error.code))
}
