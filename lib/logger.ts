import pino from 'pino'
import { connectionError } from './async/connection-error'
import { env } from './env'

/**
 * An error as it is logged. A connection error is one line, because it is logged again with each retry, and its stack
 * shows only the timer of the retry.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return connectionError(error) ?? pino.stdSerializers.err(error)
}

/** Structured logs on stdout. Requests are logged without headers, because these contain secrets. */
export const logger = pino({
  level: env().GPUQ_LOG_LEVEL,
  base: undefined,
  serializers: { err: loggedError },
  timestamp: pino.stdTimeFunctions.isoTime,
  redact: ['*.token', '*.password', '*.authorization', 'token', 'password', 'authorization'],
})

const linesPerMinute = 20
const minuteMs = 60_000

// Next.js loads modules again for each route bundle; the counts are kept once per process.
const shared = globalThis as typeof globalThis & { gpuqLogCounts?: Map<string, number> }
shared.gpuqLogCounts ??= new Map()
const counts = shared.gpuqLogCounts

/**
 * Logs something that a client can cause as often as it likes. Of each message, a bounded number of lines per minute is
 * logged; one more line says how many were left out. `kind` separates the causes of a message; there are few of them.
 */
export function logSampled(
  level: 'info' | 'warn' | 'error',
  fields: Record<string, unknown>,
  message: string,
  kind = '',
): void {
  const key = `${message} ${kind}`
  const count = counts.get(key) ?? 0
  counts.set(key, count + 1)
  if (count < linesPerMinute) logger[level](fields, message)
  if (count > 0) return
  const endMinute = () => {
    const leftOut = (counts.get(key) ?? 0) - linesPerMinute
    counts.delete(key)
    if (leftOut > 0) logger[level]({ kind, left_out: leftOut }, message)
  }
  setTimeout(endMinute, minuteMs).unref()
}
