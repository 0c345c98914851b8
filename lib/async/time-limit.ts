/** The time limits of combined signals, as long as these exist. */
const limits = new WeakMap<AbortSignal, AbortSignal>()

/**
 * Returns a signal that is aborted after `ms`, or together with `signal`. Unlike a bare
 * `AbortSignal.any([signal, AbortSignal.timeout(ms)])`: that refers to the time limit only weakly, so a garbage collection
 * can remove it, and the limit never ends.
 */
export function timeLimit(ms: number, signal: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(ms)
  const combined = AbortSignal.any([signal, limit])
  limits.set(combined, limit)
  return combined
}
