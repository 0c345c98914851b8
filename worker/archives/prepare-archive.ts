import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readArchive } from '@/lib/archives/read-archive'
import { refuseCapacity } from '@/lib/archives/workdir-capacity'
import { isDiskFull } from '../files/fetch-object'
import { unpackArchive } from '../files/unpack-archive'
import { retryWrite } from '../node/lease/retry-write'
import { TaskFault } from '../node/task/task-fault'
import { RuntimeFault } from '../runtime/runtime'

/** The place of the uploaded directory in a task's own directory; the container sees it below /job. */
export const uploadedDirectory = 'dir'

interface UploadedDirectory {
  /** Null if the archive was deleted although the job exists. */
  archiveId: string | null
  memoryMib: number
}

/**
 * Unpacks and verifies an uploaded directory in the task's own directory. Starts from scratch after an earlier
 * attempt. After it has returned or thrown, nothing is written any more.
 * @throws TaskFault if it exceeds the task's memory, RuntimeFault if it cannot be read or written, and the reason of
 * `signal`.
 */
export async function prepareArchive(
  taskDirectory: string,
  { archiveId, memoryMib }: UploadedDirectory,
  signal: AbortSignal,
): Promise<void> {
  const root = join(taskDirectory, uploadedDirectory)
  await rm(root, { recursive: true, force: true })
  const archive =
    archiveId === null ? null : await retryWrite(signal, 'directory', () => readArchive(archiveId))
  if (!archive) throw unavailable()
  const tooLarge = refuseCapacity(archive, memoryMib)
  if (tooLarge !== null) throw new TaskFault('out_of_memory', tooLarge)
  await unpackArchive(root, archive, { signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw unavailable(error)
  })
}

function unavailable(cause?: unknown): RuntimeFault {
  const message = isDiskFull(cause)
    ? "The job's directory does not fit on the node's disk. Free some space there."
    : "The job's directory could not be read from the store. Check the storage, then retry the job."
  return new RuntimeFault('engine_error', message, { cause })
}
