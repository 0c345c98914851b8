import { setTimeout as sleep } from 'node:timers/promises'
import { formatBytes } from '../contract/format-bytes'
import { acquireLock } from '../database/locks'
import { transaction } from '../database/transaction'
import { logger } from '../logger'
import { diskSpace } from '../storage/free-space'

const checkIntervalMs = 60_000

/** Notifies the admins when the disk of the data directory is almost full, for as long as this web server runs. */
export async function watchDisk(): Promise<void> {
  for (;;) {
    await notifyLowDisk().catch((error: unknown) =>
      logger.error({ err: error }, 'could not notify the admins of a full disk, retrying'),
    )
    await sleep(checkIntervalMs, undefined, { ref: false })
  }
}

/** Writes the messages if the disk is low. Not again within six hours, also if the disk was not low in between. */
export async function notifyLowDisk(): Promise<void> {
  const { low, freeBytes } = await diskSpace()
  if (!low) return
  const reason = `${formatBytes(freeBytes)} are free. gpuq accepts no new jobs and uploads until an admin frees disk space or lowers GPUQ_MIN_FREE_GIB.`
  await transaction(async (tx) => {
    await acquireLock(tx, 'lowDiskNotice')
    await tx.query(
      `SELECT notify_admins('disk.low', $1) WHERE NOT EXISTS (
         SELECT 1 FROM notification_deliveries WHERE event = 'disk.low' AND created_at > now() - interval '6 hours')`,
      [JSON.stringify({ reason })],
    )
  })
}
