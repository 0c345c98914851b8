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

/** A step of a job on its way from the submission to the end of its last task. */
export type JobStep =
  | 'received'
  | 'durable'
  | 'planning'
  | 'snapshot'
  | 'planned'
  | 'claimed'
  | 'prepared'
  | 'assigned'
  | 'started'
  | 'first byte'
  | 'stored'
  | 'event'
  | 'exited'
  | 'output ended'
  | 'exit known'
  | 'output stored'
  | 'files stored'
  | 'ended'
  | 'removed'

/**
 * Logs when a job reached a step, in milliseconds since 1970 with fractions. Does nothing unless the log level is `trace`,
 * as in `npm run bench -- --trace`.
 * @param at a time of `performance.now()`.
 */
export function traceStep(step: JobStep, jobId: string, at = performance.now()): void {
  logger.trace({ step, job: jobId, atMs: performance.timeOrigin + at }, 'step')
}

const linesPerMinute = 20
const minuteMs = 60_000

// Next.js loads modules again for each route bundle; the counts are kept once per process.
const shared = globalThis as typeof globalThis & { gpuqLogCounts?: Map<string, number> }
shared.gpuqLogCounts ??= new Map()
const counts = shared.gpuqLogCounts

/**
 * Logs something that a client can cause as often as it likes. A bounded number of lines per minute is logged for each
 * message; one more line says how many were left out. `kind` separates the causes of a message; there are few of them.
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
