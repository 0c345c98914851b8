import { storageLedger } from '@/lib/access/storage/storage-ledger'
import { sweepArchives } from '@/lib/archives/sweep'
import { sleep } from '@/lib/async/sleep'
import { hasDeletionRequests } from '@/lib/cluster/checkpoints/run-directories'
import { sweepCheckpoints } from '@/lib/cluster/checkpoints/sweep-checkpoints'
import { deleteOldSamples } from '@/lib/cluster/gpus/gpu-samples'
import { compactLedger, recountLedger } from '@/lib/database/ledger'
import { checkpointsDirectory, env } from '@/lib/env'
import { endNeverFitting } from '@/lib/jobs/lifecycle/end-never-fitting'
import { deleteExpired } from '@/lib/jobs/lifecycle/retention'
import { stopIdleJobs } from '@/lib/jobs/lifecycle/stop-idle'
import { activeJobsLedger } from '@/lib/jobs/read/active-jobs'
import { logger } from '@/lib/logger'
import { storage } from '@/lib/storage/storage'
import { sweepShared } from '../checkpoints/sweep-shared'
import { featureSweeps } from '../features'

const expiryIntervalMs = 10 * 60_000
const ledgerIntervalMs = 60_000
const idleIntervalMs = 10_000
/** For sweeps that list the whole storage. */
const firstListingAfterMs = 10 * 60_000
const listingIntervalMs = 6 * 60 * 60_000

/**
 * Deletes what has expired and stops jobs with idle GPUs, until `signal` is aborted. Separate from the scheduling, because listing a full bucket
 * takes long, and a slow or unavailable store must not delay jobs.
 */
export async function sweep(signal: AbortSignal): Promise<void> {
  await Promise.all([
    repeat(signal, 0, expiryIntervalMs, async () => {
      await attempt('delete expired jobs', () => deleteExpired(new Date()))
      await attempt('delete old GPU samples', deleteOldSamples)
      for (const { what, run } of featureSweeps) await attempt(what, run)
      await attempt('end jobs that no node fits', endNeverFitting)
    }),
    repeat(signal, 0, idleIntervalMs, () => attempt('stop jobs with idle GPUs', stopIdleJobs)),
    repeat(signal, 0, ledgerIntervalMs, async () => {
      await attempt('add up the changes of stored bytes', () => compactLedger(storageLedger))
      await attempt('add up the changes of active jobs', () => compactLedger(activeJobsLedger))
      await attempt('delete the checkpoints that users deleted', sweepRequested)
    }),
    repeat(signal, firstListingAfterMs, listingIntervalMs, async () => {
      await attempt('delete uploaded directories', () => sweepArchives(storage(), new Date()))
      await attempt('delete expired checkpoints', sweepAllCheckpoints)
      await attempt('count the stored bytes again', () => recountLedger(storageLedger))
      await attempt('count the active jobs again', () => recountLedger(activeJobsLedger))
    }),
  ])
}

async function repeat(
  signal: AbortSignal,
  firstAfterMs: number,
  intervalMs: number,
  work: () => Promise<void>,
): Promise<void> {
  for (let waitMs = firstAfterMs; !signal.aborted; waitMs = intervalMs) {
    await sleep(waitMs, signal)
    if (!signal.aborted) await work()
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

/** Users wait for the space that they freed. */
async function sweepRequested(): Promise<void> {
  const shared = checkpointsDirectory(env())
  if (shared !== null && (await hasDeletionRequests())) await sweepShared(shared)
}

async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    logger.error({ err: error }, `could not ${what}, retrying later`)
  })
}
