/**
 * Codes that say of a connection that it was not to be had, or broke: Node's, PostgreSQL's classes 08 and 57P, and those
 * of Prisma that stand for them.
 */
const codes = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_|08|57P|P1001|P1002|P1017)/

/** What the pool of `pg` says when none of its connections was free in time. */
export const poolTimeout = 'timeout exceeded when trying to connect'

/** How those of `pg`'s own errors begin that say the same: it gives them no code. */
const beginnings = ['Connection terminated', poolTimeout]

/** What an error says that tells only that the other side of a connection is away, in a line; null for any other. */
export function connectionError(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  // Node tries each address of a name, and says so without a word of its own.
  const [first] = error instanceof AggregateError ? error.errors : []
  const { message, code, syscall }: NodeJS.ErrnoException = first instanceof Error ? first : error
  const isConnectionError =
    codes.test(code ?? '') || syscall === 'connect' || beginnings.some((one) => message.startsWith(one))
  if (!isConnectionError) return null
  // Prisma shows the code that asked before it comes to it.
  return message.trim().split('\n').at(-1) ?? message
}
