const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A terminal or a parent program may send the same signal twice. */
const duplicateSignalMs = 1_000

interface Stopping {
  onFirst(): void
  onSecond(): void
  /** Goes on when the terminal is closed, and no longer writes to it. */
  outlivesTerminal: boolean
}

/** Stops in order at the first signal, and immediately at the second. */
export function stopOnSignals({ onFirst, onSecond, outlivesTerminal }: Stopping): AbortSignal {
  const ending = new AbortController()
  let asked = 0
  const onSignal = () => {
    if (!ending.signal.aborted) {
      asked = performance.now()
      onFirst()
      ending.abort()
    } else if (performance.now() - asked > duplicateSignalMs) onSecond()
  }
  for (const name of signals)
    process.on(name, outlivesTerminal && name === 'SIGHUP' ? ignoreHangup : onSignal)
  return ending.signal
}

function ignoreHangup(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners('error').on('error', () => {})
}
