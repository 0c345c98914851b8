import { deleteOldSamples } from '../cluster/gpu-samples'
import { database } from '../database/client'
import { storage } from '../storage/storage'

/** No upload may take this long; a part this old belongs to a writer that died. */
const leftoverMs = 60 * 60_000

/** Deletes what has served its time: idempotency keys after a day, samples of GPUs after an hour, and what writers that died left half written. */
export async function deleteExpired(now: Date): Promise<void> {
  await database().pool.query("DELETE FROM idempotency_keys WHERE created_at < now() - interval '1 day'")
  await deleteOldSamples()
  await storage().removeLeftovers(new Date(now.getTime() - leftoverMs))
}
