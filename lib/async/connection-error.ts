/**
 * Error codes of failed and broken connections: of Node.js, PostgreSQL's classes 08 and 57P, and of Prisma. 53300 and P2037:
 * PostgreSQL has all the connections that it allows.
 */
const codes = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_|08|57P|53300|P1001|P1002|P1017|P2037)/

/** The message of `pg` if no connection of its pool became free in time. */
export const poolTimeout = 'timeout exceeded when trying to connect'

/** Prisma has no code of its own for most errors of PostgreSQL, and keeps theirs here. */
interface MaybePrismaError extends NodeJS.ErrnoException {
  meta?: { driverAdapterError?: { cause?: { originalCode?: string } } }
}

/** Errors of `pg` without a code that mean the same begin with these texts. */
const beginnings = ['Connection terminated', poolTimeout]

/** The message of a connection error in one line; null for any other error. */
export function connectionError(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  // Node.js tries each address of a name. Its AggregateError then has no message.
  const [first] = error instanceof AggregateError ? error.errors : []
  const { message, code, syscall, meta }: MaybePrismaError = first instanceof Error ? first : error
  const original = meta?.driverAdapterError?.cause?.originalCode
  const isConnectionError =
    codes.test(original ?? code ?? '') ||
    syscall === 'connect' ||
    beginnings.some((one) => message.startsWith(one))
  if (!isConnectionError) return null
  // Prisma shows the calling code before the message.
  return message.trim().split('\n').at(-1) ?? message
}
