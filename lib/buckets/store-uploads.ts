import { setTimeout as sleep } from 'node:timers/promises'
import { logger } from '../logger'
import { storeUpload } from './store-upload'
import { dueUploads } from './upload-rows'

const pollIntervalMs = 2_000
const maxConcurrent = 4

/**
 * Stores the results of ended jobs in the buckets of their projects, for as long as this web server runs. The workers have
 * no part in it, so that the keys of the buckets are only on the web servers.
 */
export async function storeUploads(signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    try {
      const due = await dueUploads(maxConcurrent)
      await Promise.all(due.map(storeUpload))
      if (due.length === maxConcurrent) continue
    } catch (error) {
      logger.error({ err: error }, 'could not look up the results for the buckets of projects')
    }
    await sleep(pollIntervalMs, undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(
      () => undefined,
    )
  }
}
