import type { FileHandle } from 'node:fs/promises'
import { uuidv7 } from 'uuidv7'
import { readStorageQuota } from '@/lib/access/storage/storage-quota'
import { checkpointKey, type StoredFile } from '@/lib/checkpoints/checkpoint-files'
import type { Run } from '@/lib/cluster/tasks/tasks'
import { database } from '@/lib/database/client'
import { logger } from '@/lib/logger'
import { storage } from '@/lib/storage/storage'
import { type FoundFile, isSame, openInside, readFingerprint } from '../files/safe-walk'
import type { KnownFile } from './choose-batch'

/** Each may hold three parts of a large file in memory. */
const concurrentFiles = 4
const readBytes = 1 << 20
/** Bytes of a file that are read ahead of the store. */
const readAheadBytes = 64 << 20

interface UploadBatch {
  /** The directory of the files. */
  directory: string
  run: Run
  /** No new file is started after this time, by `performance.now()`; the files stored so far are recorded. */
  until: number
  /** Aborted when nothing more should be stored. */
  signal: AbortSignal
  /** Called whenever the store has accepted data. */
  onProgress: () => void
}

interface UploadedBatch {
  /** The stored files up to the first failure, in order. */
  stored: { file: FoundFile; as: StoredFile }[]
  /** The first error; undefined: none. A file that changed is not an error. */
  failure: unknown
  /** Objects of files after the first failure, which are not recorded. */
  unrecorded: string[]
}

/**
 * Stores files concurrently, each under its own key. A file that changes while it is read ends the batch there, like
 * a failure.
 */
export async function storeFiles(files: readonly FoundFile[], round: UploadBatch): Promise<UploadedBatch> {
  const { signal, until, onProgress } = round
  const results: (StoredFile | undefined)[] = []
  let end = files.length
  let next = 0
  let failure: unknown
  const work = async () => {
    while (next < end && !signal.aborted) {
      if (performance.now() > until) break
      const index = next++
      const file = files[index]
      if (!file) return
      const stored = await storeFile(file, round, () => index < end).catch((error: unknown) => {
        if (index < end) failure = error
        return null
      })
      if (stored === null) end = Math.min(end, index)
      else {
        results[index] = stored
        onProgress()
      }
    }
  }
  await Promise.all(Array.from({ length: concurrentFiles }, work))
  const stored = files.slice(0, Math.min(end, next)).flatMap((file, index) => {
    const as = results[index]
    return as ? [{ file, as }] : []
  })
  const unrecorded = results.slice(stored.length).flatMap((result) => (result ? [result.object] : []))
  return { stored, failure, unrecorded }
}

/** Removes unreferenced objects. The sweep removes later what fails now. */
export async function removeObjects(run: Run, objects: readonly string[]): Promise<void> {
  const left = objects.values()
  const work = async () => {
    for (const object of left) await storage().remove(checkpointKey(run, object))
  }
  await Promise.all(Array.from({ length: concurrentFiles }, work)).catch((error: unknown) =>
    logger.debug({ err: error }, 'could not remove unreferenced checkpoints; the sweep removes them later'),
  )
}

/** Returns null if the file was replaced in the meantime or is no longer needed. */
async function storeFile(
  file: FoundFile,
  { directory, run, signal, onProgress }: UploadBatch,
  isWanted: () => boolean,
): Promise<StoredFile | null> {
  const handle = await openInside(directory, file.path)
  if (handle === null) return null
  const object = uuidv7()
  const key = checkpointKey(run, object)
  try {
    if (!(await isUnchanged(handle, file))) return null
    const content = read(handle, file.bytes, onProgress, () => isWanted() && !signal.aborted)
    // The key is new, so the store need not check whether it exists.
    const { bytes, sha256 } = await storage().write(key, content, { overwrite: true })
    if (bytes === file.bytes && (await isUnchanged(handle, file))) {
      const { path, mtimeNs, executable } = file
      return { path, object, bytes, sha256, mtimeNs, executable }
    }
    await removeObjects(run, [object])
    return null
  } catch (error) {
    if (error instanceof NotWanted) return null
    throw error
  } finally {
    await handle.close()
  }
}

async function isUnchanged(handle: FileHandle, file: FoundFile): Promise<boolean> {
  const now = await readFingerprint(handle)
  return isSame(file, now) && now.ctimeNs === file.ctimeNs
}

class NotWanted extends Error {}

async function* read(
  handle: FileHandle,
  bytes: number,
  onProgress: () => void,
  isWanted: () => boolean,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; ) {
    if (!isWanted()) throw new NotWanted()
    if (at > readAheadBytes) onProgress()
    const part = Buffer.allocUnsafe(Math.min(readBytes, bytes - at))
    const { bytesRead } = await handle.read(part, 0, part.length, at)
    if (bytesRead === 0) return
    yield part.subarray(0, bytesRead)
    at += bytesRead
  }
}

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
