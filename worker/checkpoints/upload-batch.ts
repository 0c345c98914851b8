import type { FileHandle } from 'node:fs/promises'
import { uuidv7 } from 'uuidv7'
import { checkpointKey, type Run, type StoredFile } from '@/lib/cluster/checkpoints/checkpoint-files'
import { logger } from '@/lib/logger'
import { storage } from '@/lib/storage/storage'
import { isSame } from './choose-batch'
import { type FoundFile, openInside, readFingerprint } from './safe-walk'

/** Each may hold three parts of a large file in memory. */
const atOnce = 4
const readBytes = 1 << 20
/** Beyond so much of a file, more is only asked for once the store has taken what came before. */
const heldBytes = 64 << 20

interface UploadBatch {
  /** Where the files are. */
  directory: string
  run: Run
  /** Nothing new is begun after that, by `performance.now()`: what is stored so far becomes the record. */
  until: number
  /** Aborted when nothing is wanted any more. */
  signal: AbortSignal
  /** Called whenever the store has taken something. */
  onProgress: () => void
}

interface UploadedBatch {
  /** The first files of those that were to be stored, without a gap. */
  stored: { file: FoundFile; as: StoredFile }[]
  /** What the first failure said; undefined: there was none. A file that has changed is no failure. */
  failure: unknown
  /** Objects of files that come after such a gap. */
  unwanted: string[]
}

/**
 * Stores files, several at once, each under a key of its own. A file that is changed while it is read ends the round
 * there, as a failure does.
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
  await Promise.all(Array.from({ length: atOnce }, work))
  const stored = files.slice(0, Math.min(end, next)).flatMap((file, index) => {
    const as = results[index]
    return as ? [{ file, as }] : []
  })
  const unwanted = results.slice(stored.length).flatMap((result) => (result ? [result.object] : []))
  return { stored, failure, unwanted }
}

/** Removes what nothing names. What cannot be removed now is swept later. */
export async function removeObjects(run: Run, objects: readonly string[]): Promise<void> {
  const left = objects.values()
  const work = async () => {
    for (const object of left) await storage().remove(checkpointKey(run, object))
  }
  await Promise.all(Array.from({ length: atOnce }, work)).catch((error: unknown) =>
    logger.debug({ err: error }, 'checkpoints that nothing names are left to be swept'),
  )
}

/** Null where it has become another file meanwhile, or is not wanted any more. */
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
    // Nobody has this key: there is no need to ask the store first.
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
    if (at > heldBytes) onProgress()
    const part = Buffer.allocUnsafe(Math.min(readBytes, bytes - at))
    const { bytesRead } = await handle.read(part, 0, part.length, at)
    if (bytesRead === 0) return
    yield part.subarray(0, bytesRead)
    at += bytesRead
  }
}
