/** Handles Ctrl-C: the first stops in order, the second stops immediately. */

/** npm forwards a signal that the terminal has already sent to us. Ignore the second one of such a pair. */
const duplicateSignalMs = 1000

/** How often to check whether npm is still running. */
const pollIntervalMs = 1000

/** Stopping was requested. This is not an error to show. */
export class Stopped extends Error {
  constructor() {
    super('stopped')
    this.name = 'Stopped'
  }
}

/**
 * @param {object} options
 * @param {() => void} options.onFirst tells the user at once, because stopping may take a moment
 * @param {() => void} options.onSecond must end the process
 * @returns {AbortSignal} aborted with {@link Stopped} at the first signal
 */
export function stopOnSignals({ onFirst, onSecond }) {
  const stopping = new AbortController()
  let asked = Number.NaN
  const onSignal = () => {
    if (!stopping.signal.aborted) {
      asked = performance.now()
      onFirst()
      stopping.abort(new Stopped())
    } else if (performance.now() - asked > duplicateSignalMs) {
      onSecond()
    }
  }
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(name, onSignal)
  // npm forwards SIGTERM only to its shell and exits. This process only sees a new parent.
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid
    const looking = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(looking)
      onSignal()
    }, pollIntervalMs)
    looking.unref()
  }
  // A closed terminal accepts no more output. Continue stopping without it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return stopping.signal
}
