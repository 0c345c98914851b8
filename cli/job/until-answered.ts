import { ProblemError } from '@/lib/http/client/problem'
import type { Context } from '../context'

const pauseMs = 1_000
const maxFailures = 60

/**
 * Repeats a request that only reads, for about a minute, while connections break or the server restarts.
 *
 * @throws ProblemError at once if the server refuses, and after the last try.
 */
export async function untilAnswered<Answer>(
  { sleep }: Pick<Context, 'sleep'>,
  request: () => Promise<Answer>,
): Promise<Answer> {
  for (let failures = 1; ; failures++) {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof ProblemError && error.isTemporary) || failures > maxFailures) throw error
    }
    await sleep(pauseMs)
  }
}
