import { sleep } from './sleep'

export interface RetryOptions {
  /** The wait after the first failure. It doubles after each further one, up to `longestMs`. */
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
  for (let waitMs = firstMs; ; waitMs = Math.min(waitMs * 2, longestMs)) {
    try {
      return await work()
    } catch (error) {
      await onFailure(error)
      await sleep(waitMs, signal)
    }
  }
}
