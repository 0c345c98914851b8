import { readProjectStorageQuota, storageQuotaExceeded } from '../access/storage/storage-quota'
import type { Transaction } from '../database/transaction'
import { requireFreeSpace } from '../storage/free-space'

/** @throws 403 if the owner may not upload so much more, 507 if the disk is almost full. */
export async function requireArchiveQuota(tx: Transaction, projectId: string, bytes: number): Promise<void> {
  await requireFreeSpace()
  const quota = await readProjectStorageQuota(tx, projectId)
  if (bytes > quota.remainingBytes) throw storageQuotaExceeded(quota)
}
