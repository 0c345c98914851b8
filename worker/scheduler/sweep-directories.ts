import { sweepArchives } from '@/lib/archives/sweep'
import { logger } from '@/lib/logger'
import { storage } from '@/lib/storage/storage'
import { pause } from '../pause'

const firstAfterMs = 10 * 60_000
const everyMs = 6 * 60 * 60_000

/** Deletes shipped directories that nobody needs, until `signal` ends it. Beside the scheduling: a list of a full bucket takes long. */
export async function sweepDirectories(signal: AbortSignal): Promise<void> {
  for (let waitMs = firstAfterMs; !signal.aborted; waitMs = everyMs) {
    await pause(waitMs, signal)
    if (signal.aborted) return
    await sweepArchives(storage()).catch((error: unknown) => {
      logger.error({ err: error }, 'the shipped directories could not be swept, trying again later')
    })
  }
}
