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
