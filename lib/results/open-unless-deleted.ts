import type { FilesDeletion } from '../contract/job-files'
import { database } from '../database/client'
import { oneRow } from '../database/transaction'
import { storage } from '../storage/storage'
import { type ByteRange, type OpenedObject, StorageFault } from '../storage/store'

/**
 * Opens a stored file of a job. Returns why the job's files were deleted instead, if somebody deleted them after the caller
 * had found the file's row.
 * @throws StorageFault
 */
export async function openUnlessDeleted(
  jobId: string,
  key: string,
  range?: ByteRange,
): Promise<OpenedObject | FilesDeletion> {
  try {
    return await storage().open(key, range)
  } catch (error) {
    if (!(error instanceof StorageFault) || error.code !== 'not_found') throw error
    const deletion = await oneRow<FilesDeletion>(
      database().pool,
      'SELECT files_deleted, deleted_after_days FROM jobs WHERE id = $1',
      [jobId],
    )
    if (deletion.files_deleted === null) throw error
    return deletion
  }
}
