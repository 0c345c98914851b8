/**
 * Codes that say of a connection that it was not to be had, or broke: Node's, PostgreSQL's classes 08 and 57P, and those
 * of Prisma that stand for them.
 */
const codes = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_|08|57P|P1001|P1002|P1017)/

/** The same of `pg`, which gives its own such errors no code. */
const messages = /^(Connection terminated|timeout exceeded when trying to connect)/

/** What an error says that tells only that the other side of a connection is away, in a line; null for any other. */
export function connectionError(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  // Node tries each address of a name, and says so without a word of its own.
  const [first] = error instanceof AggregateError ? error.errors : []
  const { message, code, syscall }: NodeJS.ErrnoException = first instanceof Error ? first : error
  if (!codes.test(code ?? '') && !messages.test(message) && syscall !== 'connect') return null
  // Prisma shows the code that asked before it comes to it.
  return message.trim().split('\n').at(-1) ?? message
}
