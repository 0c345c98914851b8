import { ProblemError } from '@/lib/http/client/problem'
import type { Context } from '../context'
import { note } from '../job/show-job'

/** How many failures without progress in a row end the command. */
const mostFailures = 8
const longestPauseMs = 10_000

/** Retries temporary failures: broken connections and server errors. */
export class ShipRetry {
  #failures = 0
  #left = Number.POSITIVE_INFINITY

  constructor(
    readonly context: Context,
    readonly quiet: boolean,
  ) {}

  /**
   * Records the remaining work. Progress resets the failure count, so an upload over a bad connection still
   * finishes.
   */
  noteLeft(left: number): void {
    if (left < this.#left) this.#failures = 0
    else if (++this.#failures > mostFailures) throw neverComplete()
    this.#left = left
  }

  /** Resolves with undefined after a temporary failure and a delay. The caller then tries again. */
  async try<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ProblemError) || !passes(error) || ++this.#failures > mostFailures) throw error
      if (!this.quiet) await note(this.context, `${error.message} Retrying.`)
      const asked = (error.retryAfter ?? 0) * 1000
      await this.context.sleep(Math.max(asked, Math.min(longestPauseMs, 250 * 2 ** this.#failures)))
      return undefined
    }
  }
}

/** Status 400 means that the body broke off on its way: the requests are well formed. */
function passes({ status }: ProblemError): boolean {
  return status === 0 || status === 400 || status === 429 || status >= 500
}

function neverComplete(): ProblemError {
  const detail = 'The server keeps requesting the same files. Contact an admin.'
  return new ProblemError({ status: 0, code: 'unexpected', detail })
}
