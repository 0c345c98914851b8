import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { unavailable } from '@/lib/contract/errors'

/** A new name in the directory of a file. It replaces no file of the user. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `.gpuq-${randomBytes(8).toString('hex')}.part`)
}

/**
 * Saves a download under its name only when it is complete. The rename replaces a link of that name instead of
 * following it.
 * @param path as the user gave it, or as `enterParent` returned it.
 * @param maxBytes as the server announced it.
 * @throws GpuqError if more bytes arrive.
 */
export async function saveDownload(
  path: string,
  { body }: Response,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<void> {
  const temporary = temporaryBeside(path)
  try {
    const content = body ? Readable.fromWeb(body as ReadableStream<Uint8Array>) : Readable.from([])
    const limited = limit(content, maxBytes)
    await pipeline(limited, createWriteStream(temporary, { flags: 'wx' }))
    await rename(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
}

async function* limit(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of content) {
    bytes += piece.length
    if (bytes > maxBytes) throw unavailable('The server sent more than it announced. Run the command again.')
    yield piece
  }
}
