import pino from 'pino'
import { connectionError } from './async/connection-error'
import { env } from './env'

/**
 * An error as it is logged. One that only says that the other side is away is one line: it is logged again with each
 * try until the other side is back, and the stack, which is that of the timer that tried, tells nothing.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return connectionError(error) ?? pino.stdSerializers.err(error)
}

/** Structured logs on stdout. What could hold a secret is never logged: requests are logged without headers. */
export const logger = pino({
  level: env().GPUQ_LOG_LEVEL,
  base: undefined,
  serializers: { err: loggedError },
  timestamp: pino.stdTimeFunctions.isoTime,
  redact: ['*.token', '*.password', '*.authorization', 'token', 'password', 'authorization'],
})
