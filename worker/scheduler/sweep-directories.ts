import { sweepArchives } from '@/lib/archives/sweep'
import { sleep } from '@/lib/async/sleep'
import { sweepCheckpoints } from '@/lib/cluster/checkpoints/sweep-checkpoints'
import { checkpointsDirectory, env } from '@/lib/env'
import { logger } from '@/lib/logger'
import { storage } from '@/lib/storage/storage'
import { sweepShared } from '../checkpoints/sweep-shared'

const firstAfterMs = 10 * 60_000
const sweepIntervalMs = 6 * 60 * 60_000

/**
 * Deletes unused uploads and checkpoints until `signal` is aborted. Separate from the scheduling, because listing a
 * full bucket takes long.
 */
export async function sweepDirectories(signal: AbortSignal): Promise<void> {
  for (let waitMs = firstAfterMs; !signal.aborted; waitMs = sweepIntervalMs) {
    await sleep(waitMs, signal)
    if (signal.aborted) return
    await attempt('uploaded directories', () => sweepArchives(storage(), new Date()))
    await attempt('checkpoints', sweepAllCheckpoints)
  }
}

/**
 * Sweeps the bucket even if checkpoints moved to a disk later. Not in a data directory, where the same keys would be
 * the runs' own files.
 */
async function sweepAllCheckpoints(): Promise<void> {
  const settings = env()
  if (settings.GPUQ_STORAGE !== undefined) await sweepCheckpoints(storage(), new Date())
  const shared = checkpointsDirectory(settings)
  if (shared !== null) await sweepShared(shared)
}

async function attempt(what: string, sweep: () => Promise<void>): Promise<void> {
  await sweep().catch((error: unknown) => {
    logger.error({ err: error }, `could not sweep the ${what}, retrying later`)
  })
}
