import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Store, StoredContent } from 's3rver'

/**
 * Makes s3rver finish storing an object before it responds, and show it only when it is complete, like S3.
 * Unpatched, it responds while the file is still being written, so an immediate read could return half of it.
 */
export function patchStoreWrites(store: Store): void {
  store.putObject = async ({ bucket, key, content, metadata }) => {
    const path = store.getResourcePath(bucket, key, 'object')
    return writeWhole(path, content, ({ md5 }) => store.putMetadata(bucket, key, metadata, md5))
  }
  store.putPart = async (bucket, uploadId, partNumber, content) => {
    const path = join(store.getResourcePath(bucket, undefined, 'uploads'), uploadId, partNumber)
    return writeWhole(path, content, ({ md5 }) => writeFile(`${path}.md5`, md5))
  }
}

/** Moves the file into place after `onWhole`, which writes its metadata. */
async function writeWhole(
  path: string,
  content: Readable,
  onWhole: (stored: StoredContent) => Promise<void>,
): Promise<StoredContent> {
  await mkdir(dirname(path), { recursive: true })
  const beside = `${path}.${randomUUID()}`
  const digest = createHash('md5')
  let size = 0
  async function* counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      digest.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  try {
    await pipeline(content, counted, createWriteStream(beside))
    const stored = { size, md5: digest.digest('hex') }
    await onWhole(stored)
    await rename(beside, path)
    return stored
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}
