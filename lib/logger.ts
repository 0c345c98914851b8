import pino from 'pino'
import { env } from './env'

/** Codes that say of a connection that it was not to be had, or broke: Node's, and PostgreSQL's classes 08 and 57P. */
const connectionCodes = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_|08|57P)/

/** The same of `pg`, which gives its own such errors no code. */
const connectionMessages = /^(Connection terminated|timeout exceeded when trying to connect)/

/**
 * An error as it is logged. One that only says that the other side is away is one line: it is logged again with each
 * try until the other side is back, and the stack, which is that of the timer that tried, tells nothing.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  // Node tries each address of a name, and says so without a word of its own.
  const [first] = error instanceof AggregateError ? error.errors : []
  const { message, code, syscall }: NodeJS.ErrnoException = first instanceof Error ? first : error
  const away = connectionCodes.test(code ?? '') || connectionMessages.test(message) || syscall === 'connect'
  return away ? message : pino.stdSerializers.err(error)
}

/** Structured logs on stdout. What could hold a secret is never logged: requests are logged without headers. */
export const logger = pino({
  level: env().GPUQ_LOG_LEVEL,
  base: undefined,
  serializers: { err: loggedError },
  timestamp: pino.stdTimeFunctions.isoTime,
  redact: ['*.token', '*.password', '*.authorization', 'token', 'password', 'authorization'],
})
