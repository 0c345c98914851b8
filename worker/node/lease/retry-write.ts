import { ZodError } from 'zod'
import { retry } from '@/lib/async/retry'
import { Fenced } from '@/lib/cluster/tasks/tasks'
import { errorCode } from '@/lib/contract/error-code'
import { logger } from '@/lib/logger'

/** Classes of permanent PostgreSQL errors: invalid data, constraint violations, invalid SQL. */
const permanentErrors = /^(22|23|42)/

/**
 * Retries a write, or a read, until it succeeds, the worker is fenced off, or `signal` is aborted. Throws permanent
 * errors immediately: those of PostgreSQL, and stored data of another form. A write must be idempotent.
 */
export function retryWrite<T>(signal: AbortSignal, what: string, write: () => Promise<T>): Promise<T> {
  const onFailure = (error: unknown) => {
    if (error instanceof Fenced || error instanceof ZodError || signal.aborted) throw error
    if (permanentErrors.test(errorCode(error) ?? '')) throw error
    logger.warn({ err: error }, `${what}: the database did not accept the write, retrying`)
  }
  return retry(write, { firstMs: 50, longestMs: 1_000, signal, onFailure })
}
