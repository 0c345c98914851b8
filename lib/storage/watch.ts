import { setTimeout as sleep } from 'node:timers/promises'
import { logger } from '../logger'
import { storage } from './storage'

const checkIntervalMs = 30_000

/**
 * Logs at the start and then every 30 seconds if nothing can be stored, and what to change, until storage works.
 * Does not end the process: jobs run without the store, and their results wait in the database.
 */
export async function watchStorage(signal?: AbortSignal): Promise<void> {
  for (let failed = false; !signal?.aborted; failed = true) {
    try {
      await storage().check()
      if (failed) logger.info('storage works again')
      return
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      logger.error({ err: error }, `${message} Until then, results wait in the database.`)
    }
    await sleep(checkIntervalMs, undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(
      () => undefined,
    )
  }
}
