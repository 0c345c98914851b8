import { listener } from '@/lib/database/listen'
import { logger } from '@/lib/logger'
import { jobsWithoutResult, storeResult } from '@/lib/results/result-files'
import { pause } from '../pause'
import { Wake } from '../wake'

const lookEveryMs = 2_000
/** After a failure, a full disk for one, the next try waits this long. */
const retryEveryMs = 5_000
const atOnce = 4

/** Turns the output of ended jobs into their files, until `signal` ends it. What fails stays in the database. */
export async function storeResults(signal: AbortSignal): Promise<void> {
  const wake = new Wake(signal)
  const stop = await listener().listen('queue', () => wake.ring())
  try {
    while (!signal.aborted) {
      try {
        const ids = await jobsWithoutResult(atOnce)
        await Promise.all(ids.map(storeResult))
        if (ids.length === atOnce) continue
      } catch (error) {
        logger.error(
          { err: error },
          'a result could not be stored; it stays in the database and is tried again',
        )
        await pause(retryEveryMs, signal)
      }
      await wake.rung(lookEveryMs)
    }
  } finally {
    stop()
  }
}
