/** Ctrl-C, once to stop in order and twice to stop at once. */

/** npm passes a signal on that the terminal has sent us already: the second one of a pair is not a second wish. */
const sameWishMs = 1000

/** How often to look whether npm is still there. */
const lookEveryMs = 1000

/** Stopping was asked for: not an error, and nothing to show. */
export class Stopped extends Error {
  constructor() {
    super('stopped')
    this.name = 'Stopped'
  }
}

/**
 * @param {object} options
 * @param {() => void} options.onFirst said at once, as stopping may take a moment
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
    } else if (performance.now() - asked > sameWishMs) {
      onSecond()
    }
  }
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(name, onSignal)
  // Told to end, npm passes that on to its shell alone and goes; all that shows here is another parent.
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid
    const looking = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(looking)
      onSignal()
    }, lookEveryMs)
    looking.unref()
  }
  // A closed terminal takes no more output; stopping goes on without it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return stopping.signal
}
