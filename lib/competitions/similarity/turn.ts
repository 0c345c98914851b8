import { setImmediate } from 'node:timers/promises'

/** Waits until other work has run, if this work has taken its part of the time. */
export type Turn = () => Promise<void>

/** How long the work runs before others do. */
const sliceMs = 10

/** Divides long work into slices, so that the event loop stays free. */
export function takeTurns(now: () => number = () => performance.now()): Turn {
  let since = now()
  return async () => {
    if (now() - since < sliceMs) return
    await setImmediate()
    since = now()
  }
}
