import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { uuidv7 } from 'uuidv7'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { logger } from '@/lib/logger'
import { artifactKey } from '@/lib/results/name'
import { storage } from '@/lib/storage/storage'
import type { StoredWorkingFile } from '@/lib/working-files/record-working-files'
import { type FoundFile, openInside, readFingerprint } from '../files/safe-walk'
import type { KnownFile } from './choose-changes'

const pieceBytes = 1 << 20

interface Source {
  task: Pick<ClaimedTask, 'jobId' | 'attempt' | 'rank'>
  /** The working directory on this host. */
  directory: string
  /** Whether its new content may be stored. */
  admit: (file: FoundFile) => Promise<boolean>
  /** Aborted when nothing more should be stored. */
  signal: AbortSignal
}

/**
 * Stores the content of a file, unless it is the known one. It reads the file twice, up to the size that the scan found:
 * equal hashes show that no part of it changed in between. Data that a program appends meanwhile is left for later.
 * @returns `unchanged`: the content is known; `unsteady`: the file changed while it was read.
 */
export async function storeWorkingFile(
  file: FoundFile,
  known: KnownFile | undefined,
  { task, directory, admit, signal }: Source,
): Promise<StoredWorkingFile | 'unchanged' | 'unsteady' | 'over_quota'> {
  const handle = await openInside(directory, file.path)
  if (handle === null) return 'unsteady'
  try {
    if ((await readFingerprint(handle)).inode !== file.inode) return 'unsteady'
    const hash = createHash('sha256')
    let bytes = 0
    for await (const piece of read(handle, file.bytes, signal)) {
      hash.update(piece)
      bytes += piece.length
    }
    if (bytes !== file.bytes) return 'unsteady'
    const sha256 = hash.digest('hex')
    const { path, executable } = file
    if (known?.sha256 === sha256 && known.executable === executable) return 'unchanged'
    if (!(await admit(file))) return 'over_quota'
    const id = uuidv7()
    const stored = await storage().write(artifactKey(task, id), read(handle, file.bytes, signal))
    if (stored.sha256 === sha256) return { id, path, executable, ...stored }
    await removeVersions(task, [{ id, attempt: task.attempt }])
    return 'unsteady'
  } finally {
    await handle.close()
  }
}

/** Removes the content of replaced versions. What fails now is removed with the other files of the job. */
export async function removeVersions(
  { jobId, rank }: Pick<ClaimedTask, 'jobId' | 'rank'>,
  versions: readonly { id: string; attempt: number }[],
): Promise<void> {
  for (const { id, attempt } of versions) {
    await storage()
      .remove(artifactKey({ jobId, attempt, rank }, id))
      .catch((error: unknown) =>
        logger.debug({ err: error }, 'could not remove a replaced version of a file'),
      )
  }
}

async function* read(handle: FileHandle, bytes: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; ) {
    signal.throwIfAborted()
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, bytes - at))
    const { bytesRead } = await handle.read(piece, 0, piece.length, at)
    if (bytesRead === 0) return
    yield piece.subarray(0, bytesRead)
    at += bytesRead
    // An open file keeps its space, and the program may need it.
    if ((await handle.stat()).nlink === 0) return
  }
}
