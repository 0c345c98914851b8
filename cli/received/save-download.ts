import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'

/** A new name in the directory of a file. It replaces no file of the user. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `.gpuq-${randomBytes(8).toString('hex')}.part`)
}

/**
 * Saves a download under its name only when it is complete. The rename replaces a link of that name instead of
 * following it.
 * @param path as the user gave it, or as `enterParent` returned it.
 */
export async function saveDownload(path: string, { body }: Response): Promise<void> {
  const temporary = temporaryBeside(path)
  try {
    const content = body ? Readable.fromWeb(body as ReadableStream<Uint8Array>) : Readable.from([])
    await pipeline(content, createWriteStream(temporary, { flags: 'wx' }))
    await rename(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
}
