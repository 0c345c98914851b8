import { ChangeSignal } from '@/lib/async/change-signal'
import { listener } from '@/lib/database/listen'

/**
 * Calls `work` until `signal` is aborted: at once, after each notification about the queue, and at least every
 * `pollIntervalMs`, in case a notification is lost.
 * @param work gets whether a notification caused the call. It returns true to be called again at once.
 */
export async function onQueueChange(
  signal: AbortSignal,
  pollIntervalMs: number,
  work: (isNotified: boolean) => Promise<boolean>,
): Promise<void> {
  const wake = new ChangeSignal(signal)
  const stop = await listener().listen('queue', wake.notify)
  let isNotified = true
  try {
    while (!signal.aborted) {
      if (!(await work(isNotified))) isNotified = await wake.wait(pollIntervalMs)
    }
  } finally {
    stop()
  }
}
