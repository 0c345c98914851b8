import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { addAbortSignal, type Readable } from 'node:stream'
import { retry } from '@/lib/async/retry'
import { unlessAborted } from '@/lib/async/sleep'
import { errorCode } from '@/lib/contract/error-code'
import { logger } from '@/lib/logger'
import { storage } from '@/lib/storage/storage'
import { StorageFault } from '@/lib/storage/store'

/** A store that returns nothing for this long counts as down: the GPUs are released, and the job is retried later. */
const downMs = 60_000

/** The content of an object, as gpuq has recorded it. */
interface Content {
  bytes: number
  /** In hexadecimal. */
  sha256: string
}

interface FetchOptions {
  /** The permissions of the file. */
  mode: number
  signal: AbortSignal
  /** Counts received bytes; negative if they have to be read again. */
  onBytes?: (bytes: number) => void
  /** The file has exactly `mode`, and survives a power failure once this resolves. */
  durable?: boolean
}

/**
 * Writes an object of the store to a file and verifies its content. Retries for a minute if the store does not respond.
 * @throws the last error of the store or the disk, and the reason of `signal`.
 */
export async function fetchObject(
  key: string,
  path: string,
  content: Content,
  options: FetchOptions,
): Promise<void> {
  const { signal } = options
  const since = performance.now()
  const fetch = async () => {
    signal.throwIfAborted()
    await writeObject(key, path, content, options)
  }
  const onFailure = (error: unknown) => {
    signal.throwIfAborted()
    logger.warn({ err: error, key }, 'could not read an object of the store')
    if (!isPassing(error) || performance.now() > since + downMs) throw error
  }
  await retry(fetch, { firstMs: 500, longestMs: 5_000, signal, onFailure })
}

/** Whether an error says that the disk of the file has no space. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '')
}

function isPassing(error: unknown): boolean {
  return !isDiskFull(error) && !['not_found', 'denied'].includes(errorCode(error) ?? '')
}

/** Overwrites the file of an earlier try. */
async function writeObject(
  key: string,
  path: string,
  { bytes, sha256 }: Content,
  { mode, signal, onBytes, durable = false }: FetchOptions,
): Promise<void> {
  const stream = await openObject(key, signal)
  const hash = createHash('sha256')
  let written = 0
  try {
    const file = await open(path, 'w', durable ? 0o600 : mode)
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        hash.update(piece)
        await file.writeFile(piece)
        written += piece.length
        onBytes?.(piece.length)
      }
      if (written !== bytes || hash.digest('hex') !== sha256) {
        throw new StorageFault('storage_error', 'The store returned different content than was stored.')
      }
      if (durable) {
        await file.chmod(mode)
        await file.sync()
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    onBytes?.(-written)
    throw error
  } finally {
    stream.destroy()
  }
}

/** Stops waiting when `signal` is aborted, even if the store does not respond. */
async function openObject(key: string, signal: AbortSignal): Promise<Readable> {
  const opening = storage()
    .open(key)
    .then(({ stream }) => {
      // An error before anybody reads would end the process. Whoever reads gets it as well.
      stream.on('error', () => undefined)
      return addAbortSignal(signal, stream)
    })
  const stream = await unlessAborted(opening, signal)
  if (stream) return stream
  throw signal.reason
}
