import { setTimeout as sleep } from 'node:timers/promises'
import { stopOnSignals } from '@/deploy/run/signals.mjs'
import { stopAll } from '../with-system'

/** How long interrupted work may take to remove its files. */
const patienceMs = 30_000

/** Runs the work of a bench. Ctrl-C stops the systems that it has started, and ends this process. */
export async function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = stopOnSignals({
    onFirst: () => process.stderr.write('\n  Stopping.\n'),
    onSecond: () => process.exit(130),
  })
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  const running = work(signal)
  await Promise.race([running, aborted])
  if (!signal.aborted) return running
  let hasEnded = false
  const ended = running
    .catch(() => {})
    .finally(() => {
      hasEnded = true
    })
  // Repeated, because a system may only be starting now.
  for (const deadline = performance.now() + patienceMs; !hasEnded && performance.now() < deadline; ) {
    await stopAll()
    await Promise.race([ended, sleep(500)])
  }
  process.exit(130)
}
