import { sleep } from '@/lib/async/sleep'
import { restartDelay } from './supervise'

interface WatchedServer {
  /** The name that users see: `PostgreSQL`. */
  name: string
  answers(): Promise<boolean>
  /** Restarts the server. Retried after a failure. */
  restart(): Promise<unknown>
  say(sentence: string): void
  everyMs: number
}

/**
 * Restarts a server when it does not answer. The server is not a child process, because it must survive a
 * killed supervisor. Returns a function that stops the checks and waits for a restart in progress.
 */
export function startWatchdog({ name, answers, restart, say, everyMs }: WatchedServer): () => Promise<void> {
  const ending = new AbortController()

  async function look(): Promise<void> {
    let failures = 0
    while (!ending.signal.aborted) {
      await sleep(failures > 0 ? restartDelay(failures) : everyMs, ending.signal)
      if (ending.signal.aborted) return
      if (await answers()) {
        failures = 0
        continue
      }
      if (failures === 0) say(`${name} does not respond; restarting it`)
      try {
        await restart()
        say(`${name} is running again`)
        failures = 0
      } catch (error) {
        failures += 1
        const why = error instanceof Error ? error.message : String(error)
        if (failures === 1) say(`${name} could not restart: ${why.split('\n')[0]}; retrying`)
      }
    }
  }

  const looking = look()
  return async () => {
    ending.abort()
    await looking
  }
}
