import { storageLedger } from '@/lib/access/storage/storage-ledger'
import { sweepArchives } from '@/lib/archives/sweep'
import { sleep } from '@/lib/async/sleep'
import { deleteOldSamples } from '@/lib/cluster/gpus/gpu-samples'
import { compactLedger, recountLedger } from '@/lib/database/ledger'
import { endNeverFitting } from '@/lib/jobs/lifecycle/end-never-fitting'
import { deleteExpired } from '@/lib/jobs/lifecycle/retention'
import { stopIdleJobs } from '@/lib/jobs/lifecycle/stop-idle'
import { activeJobsLedger } from '@/lib/jobs/read/active-jobs'
import { logger } from '@/lib/logger'
import { storage } from '@/lib/storage/storage'
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
      for (const { what, run } of featureSweeps.everyTenMinutes) await attempt(what, run)
      await attempt('end jobs that no node fits', endNeverFitting)
    }),
    repeat(signal, 0, idleIntervalMs, () => attempt('stop jobs with idle GPUs', stopIdleJobs)),
    repeat(signal, 0, ledgerIntervalMs, async () => {
      await attempt('add up the changes of stored bytes', () => compactLedger(storageLedger))
      await attempt('add up the changes of active jobs', () => compactLedger(activeJobsLedger))
      for (const { what, run } of featureSweeps.everyMinute) await attempt(what, run)
    }),
    repeat(signal, firstListingAfterMs, listingIntervalMs, async () => {
      await attempt('delete uploaded directories', () => sweepArchives(storage(), new Date()))
      for (const { what, run } of featureSweeps.listing) await attempt(what, run)
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

async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    logger.error({ err: error }, `could not ${what}, retrying later`)
  })
}
