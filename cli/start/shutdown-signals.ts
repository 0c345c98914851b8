const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A terminal or a parent program may send the same signal twice. */
const duplicateSignalMs = 1_000

/** Stops in order at the first signal, and immediately at the second. */
export function stopOnSignals(onFirst: () => void, onSecond: () => void): AbortSignal {
  const ending = new AbortController()
  let asked = 0
  const onSignal = () => {
    if (!ending.signal.aborted) {
      asked = performance.now()
      onFirst()
      ending.abort()
    } else if (performance.now() - asked > duplicateSignalMs) onSecond()
  }
  for (const name of signals) process.on(name, onSignal)
  return ending.signal
}
