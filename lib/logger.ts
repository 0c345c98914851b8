import pino from 'pino'
import { env } from './env'

/** Structured logs on stdout. What could hold a secret is never logged: requests are logged without headers. */
export const logger = pino({
  level: env().GPUQ_LOG_LEVEL,
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  redact: ['*.token', '*.password', '*.authorization', 'token', 'password', 'authorization'],
})
