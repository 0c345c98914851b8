import { readStorageQuota, type StorageQuota, storageQuotaExceeded } from '../access/storage/storage-quota'
import { oneRow, type Transaction } from '../database/transaction'
import { requireFreeSpace } from '../storage/free-space'

/** Reads what the owner of this project may still upload: directories count to the owner, whoever sends them. */
export async function readArchiveQuota(tx: Transaction, projectId: string): Promise<StorageQuota> {
  const { userId } = await oneRow<{ userId: string }>(tx, {
    name: 'owner-of-project',
    text: 'SELECT owner_id AS "userId" FROM projects WHERE id = $1',
    values: [projectId],
  })
  return readStorageQuota(tx, { userId, projectId })
}

/** @throws 403 if the owner may not upload so much more, 507 if the disk is almost full. */
export async function requireArchiveQuota(tx: Transaction, projectId: string, bytes: number): Promise<void> {
  await requireFreeSpace()
  const quota = await readArchiveQuota(tx, projectId)
  if (bytes > quota.remainingBytes) throw storageQuotaExceeded(quota)
}
