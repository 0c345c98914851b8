import { sweepArchives } from '@/lib/archives/sweep'
import { sleep } from '@/lib/async/sleep'
import { sweepCheckpoints } from '@/lib/cluster/checkpoints/sweep-checkpoints'
import { checkpointsDirectory, env } from '@/lib/env'
import { logger } from '@/lib/logger'
import { storage } from '@/lib/storage/storage'
import { sweepShared } from '../checkpoints/sweep-shared'

const firstAfterMs = 10 * 60_000
const everyMs = 6 * 60 * 60_000

/**
 * Deletes shipped directories and checkpoints that nobody needs, until `signal` ends it. Beside the scheduling: a list of a
 * full bucket takes long.
 */
export async function sweepDirectories(signal: AbortSignal): Promise<void> {
  for (let waitMs = firstAfterMs; !signal.aborted; waitMs = everyMs) {
    await sleep(waitMs, signal)
    if (signal.aborted) return
    await attempt('shipped directories', () => sweepArchives(storage(), new Date()))
    await attempt('checkpoints', sweepAllCheckpoints)
  }
}

/** Those in the bucket also where a disk was named for them later. In a data directory, the same keys would be runs' own files. */
async function sweepAllCheckpoints(): Promise<void> {
  const settings = env()
  if (settings.GPUQ_STORAGE !== undefined) await sweepCheckpoints(storage(), new Date())
  const shared = checkpointsDirectory(settings)
  if (shared !== null) await sweepShared(shared)
}

async function attempt(what: string, sweep: () => Promise<void>): Promise<void> {
  await sweep().catch((error: unknown) => {
    logger.error({ err: error }, `the ${what} could not be swept, trying again later`)
  })
}
