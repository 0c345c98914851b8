import { setTimeout as startTimer } from 'node:timers/promises'

/** Waits for `ms`, or until `signal` is aborted. Never rejects. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await startTimer(ms, undefined, { signal }).catch(() => undefined)
}

/** Resolves once `signal` is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** The result of `work`, or null once `signal` is aborted: the caller then no longer waits. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(null)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** The result of `work`, or what `onTimeout` returns or throws after `ms`: the caller then no longer waits. */
export async function withTimeout<T, Late>(
  work: Promise<T>,
  ms: number,
  onTimeout: () => Late,
): Promise<T | Late> {
  const done = new AbortController()
  const late = startTimer(ms, undefined, { signal: done.signal }).then(onTimeout)
  try {
    return await Promise.race([work, late])
  } finally {
    done.abort()
  }
}
