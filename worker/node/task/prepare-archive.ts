import { createHash } from 'node:crypto'
import { mkdir, open, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { blobKey } from '@/lib/archives/blob-key'
import { readArchive } from '@/lib/archives/read-archive'
import { refuseCapacity } from '@/lib/archives/workdir-capacity'
import { inParallel } from '@/lib/async/pool'
import { type FileEntry, isLink } from '@/lib/contract/archives/archive-manifest'
import { storage } from '@/lib/storage/storage'
import { RuntimeFault } from '../../runtime/runtime'
import { TaskFault } from './task-fault'

/** Concurrent files; small ones wait for the store, not for the disk. */
const concurrentFiles = 16

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
 * @throws TaskFault if it exceeds the task's memory, RuntimeFault if it cannot be read, and the reason of
 * `signal`.
 */
export async function prepareArchive(
  taskDirectory: string,
  { archiveId, memoryMib }: UploadedDirectory,
  signal: AbortSignal,
): Promise<void> {
  const root = join(taskDirectory, uploadedDirectory)
  await rm(root, { recursive: true, force: true })
  const archive = archiveId === null ? null : await readArchive(archiveId)
  if (!archive) throw gone()
  const tooLarge = refuseCapacity(archive, memoryMib)
  if (tooLarge !== null) throw new TaskFault('out_of_memory', tooLarge)
  const { entries } = archive.manifest
  const files = entries.flatMap((entry) => (isLink(entry) ? [] : [entry]))
  const links = entries.flatMap((entry) => (isLink(entry) ? [entry] : []))
  for (const directory of directoriesOf(root, entries))
    await mkdir(directory, { recursive: true, mode: 0o755 })
  await inParallel(files, concurrentFiles, (file) => writeFile(root, archive.projectId, file, signal), signal)
  // Links are created last, so that no file is written through a link.
  await inParallel(links, concurrentFiles, ({ path, target }) => symlink(target, join(root, path)), signal)
}

function directoriesOf(root: string, entries: readonly { path: string }[]): Set<string> {
  return new Set([root, ...entries.map(({ path }) => join(root, dirname(path)))])
}

async function writeFile(
  root: string,
  projectId: string,
  entry: FileEntry,
  signal: AbortSignal,
): Promise<void> {
  const { stream } = await storage()
    .open(blobKey(projectId, entry.sha256))
    .catch((cause: unknown) => {
      throw gone(cause)
    })
  const hash = createHash('sha256')
  const file = await open(join(root, entry.path), 'wx', entry.executable ? 0o755 : 0o644)
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      signal.throwIfAborted()
      hash.update(piece)
      await file.writeFile(piece)
    }
  } finally {
    stream.destroy()
    await file.close()
  }
  if (hash.digest('hex') !== entry.sha256) throw gone()
}

function gone(cause?: unknown): RuntimeFault {
  const message =
    "The job's directory could not be read from the store. Check the storage, then retry the job."
  return new RuntimeFault('engine_error', message, { cause })
}
