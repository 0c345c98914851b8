import { readStorageQuota } from '@/lib/access/storage/storage-quota'
import type { Run } from '@/lib/cluster/checkpoints/runs'
import { database } from '@/lib/database/client'
import type { FoundFile } from '../files/safe-walk'
import type { KnownFile } from './choose-batch'

/**
 * Checks whether a batch exceeds the storage quota. A batch that removes at least as much as it adds never does, so a
 * program that replaces its checkpoints can continue. Other jobs store files too, so this reads the quota each time.
 */
export async function exceedsQuota(
  { userId, projectId }: Run,
  take: readonly FoundFile[],
  gone: readonly { path: string }[],
  known: ReadonlyMap<string, KnownFile>,
): Promise<boolean> {
  const replaced = [...take, ...gone].map(({ path }) => known.get(path))
  const removed = replaced.reduce((sum, file) => sum + (file?.object ? (file.as?.bytes ?? 0) : 0), 0)
  const growth = take.reduce((sum, { bytes }) => sum + bytes, 0) - removed
  if (growth <= 0) return false
  const { remainingBytes } = await readStorageQuota(database().pool, { userId, projectId })
  return growth > remainingBytes
}
