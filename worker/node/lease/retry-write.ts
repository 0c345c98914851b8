import { retry } from '@/lib/async/retry'
import { Fenced } from '@/lib/cluster/tasks/tasks'
import { logger } from '@/lib/logger'

/** Classes of PostgreSQL's errors that say the same however often one asks: wrong data, broken rules, wrong SQL. */
const permanentErrors = /^(22|23|42)/

/**
 * Does a write that must not be lost: a database that does not answer is asked again until the write is done, the
 * worker is fenced off, or `signal` ends it. The write must be safe to repeat.
 */
export function retryWrite<T>(signal: AbortSignal, what: string, write: () => Promise<T>): Promise<T> {
  const onFailure = (error: unknown) => {
    if (error instanceof Fenced || signal.aborted || isPermanent(error)) throw error
    logger.warn({ err: error }, `${what}: the database did not take it, trying again`)
  }
  return retry(write, { firstMs: 50, longestMs: 1_000, signal, onFailure })
}

function isPermanent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && permanentErrors.test(String(error.code))
}
