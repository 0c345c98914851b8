import { setTimeout as sleep } from 'node:timers/promises'
import { restartDelay } from './supervise'

export interface Kept {
  /** What a person calls it: `PostgreSQL`. */
  name: string
  answers(): Promise<boolean>
  /** Brings it back; may fail, then it is tried again. */
  restart(): Promise<unknown>
  say(sentence: string): void
  everyMs: number
}

/**
 * Looks after a server that is not our child, because it has to outlive a killed supervisor: when it no longer
 * answers, it is started again. Returns how to stop looking; that waits for a restart under way.
 */
export function startWatchdog({ name, answers, restart, say, everyMs }: Kept): () => Promise<void> {
  const ending = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: ending.signal }).catch(() => {})

  async function look(): Promise<void> {
    let failures = 0
    while (!ending.signal.aborted) {
      await pause(failures > 0 ? restartDelay(failures) : everyMs)
      if (ending.signal.aborted) return
      if (await answers()) {
        failures = 0
        continue
      }
      if (failures === 0) say(`${name} no longer answers; starting it again`)
      try {
        await restart()
        say(`${name} is back`)
        failures = 0
      } catch (error) {
        failures += 1
        const why = error instanceof Error ? error.message : String(error)
        if (failures === 1) say(`${name} does not come back yet: ${why.split('\n')[0]}`)
      }
    }
  }

  const looking = look()
  return async () => {
    ending.abort()
    await looking
  }
}
