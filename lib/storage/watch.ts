import { setTimeout as sleep } from 'node:timers/promises'
import { logger } from '../logger'
import { storage } from './storage'

const againMs = 30_000

/**
 * Says in the log, at the start and then twice a minute, that nothing can be stored and what to change, until it can.
 * It never ends the process: jobs run without the store, and their results wait in the database.
 */
export async function watchStorage(signal?: AbortSignal): Promise<void> {
  for (let failed = false; !signal?.aborted; failed = true) {
    try {
      await storage().check()
      if (failed) logger.info('the storage can be used now')
      return
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      logger.error({ err: error }, `${message} Until then, results wait in the database.`)
    }
    await sleep(againMs, undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(() => undefined)
  }
}
