import { env } from '@/lib/env'
import { logger } from '@/lib/logger'
import { jobsWithoutResult, storeResult } from '@/lib/results/result-files'
import { diskSpace } from '@/lib/storage/free-space'
import { onQueueChange } from './on-queue-change'

const pollIntervalMs = 2_000
/** Retry interval after a failure, for example a full disk. */
const retryIntervalMs = 5_000
const maxConcurrent = 4

/** The next retry of each job whose result could not be stored. */
type Retries = Map<string, number>

/**
 * Stores the output of ended jobs as files, until `signal` is aborted. On failure the output stays in the database, and
 * also while the disk is almost full, because a file takes its space before the database releases the same space.
 */
export async function storeResults(signal: AbortSignal): Promise<void> {
  const retries: Retries = new Map()
  let wasLow = false
  await onQueueChange(signal, pollIntervalMs, async () => {
    const low = await isDiskLow()
    if (low !== wasLow) reportDisk(low)
    wasLow = low
    if (low) return false
    try {
      const ids = await jobsWithoutResult(maxConcurrent + retries.size)
      // Skips recent failures, so that a result that cannot be stored does not delay those after it.
      const due = ids.filter((id) => (retries.get(id) ?? 0) <= performance.now()).slice(0, maxConcurrent)
      // Waits for all before retrying any, because two writers of one result would undo each other.
      const stored = await Promise.all(due.map((id) => tryToStore(id, retries)))
      return due.length === maxConcurrent && stored.includes(true)
    } catch (error) {
      logger.error({ err: error }, 'could not look up the results to store')
      return false
    }
  })
}

/** A bucket needs no space on the disk. */
async function isDiskLow(): Promise<boolean> {
  return env().GPUQ_STORAGE === undefined && (await diskSpace()).low
}

function reportDisk(low: boolean): void {
  if (low) {
    logger.error(
      'the disk of the data directory is almost full: results wait in the database. Free space, or lower GPUQ_MIN_FREE_GIB',
    )
  } else logger.info('the disk of the data directory has space again: results are stored')
}

async function tryToStore(id: string, retries: Retries): Promise<boolean> {
  try {
    await storeResult(id)
    retries.delete(id)
    return true
  } catch (error) {
    logger.error({ err: error, job: id }, 'could not store a result; its output stays in the database')
    retries.set(id, performance.now() + retryIntervalMs)
    return false
  }
}
