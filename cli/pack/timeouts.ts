import { ProblemError } from '@/lib/http/client/problem'
import type { Context } from '../context'
import { note } from '../job/show-job'

/** Failures in a row, with nothing gained between them, after which somebody has to look. */
const mostFailures = 8
const longestPauseMs = 10_000

/** Tries again what fails for reasons that pass: broken connections, and busy or restarting servers. */
export class ShipRetry {
  #failures = 0
  #left = Number.POSITIVE_INFINITY

  constructor(
    readonly context: Context,
    readonly quiet: boolean,
  ) {}

  /** What was left to do, when it was looked at last. A line that breaks often still comes to an end. */
  noteLeft(left: number): void {
    if (left < this.#left) this.#failures = 0
    else if (++this.#failures > mostFailures) throw neverComplete()
    this.#left = left
  }

  /** Undefined where it failed and may be tried again: it has waited by then. */
  async try<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ProblemError) || !passes(error) || ++this.#failures > mostFailures) throw error
      if (!this.quiet) await note(this.context, `${error.message} Going on in a moment.`)
      const asked = (error.retryAfter ?? 0) * 1000
      await this.context.sleep(Math.max(asked, Math.min(longestPauseMs, 250 * 2 ** this.#failures)))
      return undefined
    }
  }
}

/** A bad request is a body that broke off on its way: what is sent is well formed. */
function passes({ status }: ProblemError): boolean {
  return status === 0 || status === 400 || status === 429 || status >= 500
}

function neverComplete(): ProblemError {
  const detail = 'The server asks for the same files again and again. Tell an admin.'
  return new ProblemError({ status: 0, code: 'unexpected', detail })
}
