import { backoff } from './backoff'
import { sleep } from './sleep'

interface RetryOptions {
  /** The wait after the first failure, and the longest one: see {@link backoff}. */
  firstMs: number
  longestMs: number
  /** Ends a wait early. The work is then tried once more, and `onFailure` decides. */
  signal: AbortSignal
  /** Called after each failure. To give up, it throws. */
  onFailure: (error: unknown) => unknown
}

/** Repeats `work` until it succeeds or `onFailure` throws. */
export async function retry<T>(
  work: () => Promise<T>,
  { firstMs, longestMs, signal, onFailure }: RetryOptions,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work()
    } catch (error) {
      await onFailure(error)
      await sleep(backoff(failures, firstMs, longestMs), signal)
    }
  }
}
