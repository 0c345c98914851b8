import { createHash } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { frameHeader } from '@/lib/contract/archives/archive-frames'
import type { FileEntry } from '@/lib/contract/archives/archive-manifest'
import { conflict, type GpuqError } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { sendInBatches, smallBytes } from '@/lib/http/client/upload-archive'
import type { Progress } from './progress'

interface Sending {
  client: Client
  projectId: string
  /** Absolute path. */
  directory: string
  progress: Progress | null
}

/** Uploads the contents of these files of a directory. Contents that arrived before a failure are kept. */
export async function sendContents(sending: Sending, files: readonly FileEntry[]): Promise<void> {
  await sendInBatches(files, (batch) => sendBatch(sending, batch))
}

async function sendBatch(
  { client, projectId, directory, progress }: Sending,
  batch: readonly FileEntry[],
): Promise<void> {
  const frames = Readable.from(toFrames(directory, batch, progress), { objectMode: false })
  const failed = new Promise<never>((_, reject) => frames.once('error', reject))
  try {
    // An error of the reader explains more than the error of the connection that it broke.
    const body = Readable.toWeb(frames) as ReadableStream
    await Promise.race([client.archives.send(body, { project_id: projectId }), failed])
  } catch (error) {
    if (error instanceof ProblemError && error.status === 422 && batch.length === 1)
      throw changed(batch[0]?.path ?? '', error)
    throw error
  } finally {
    failed.catch(() => {})
    frames.destroy()
  }
}

async function* toFrames(
  directory: string,
  batch: readonly FileEntry[],
  progress: Progress | null,
): AsyncGenerator<Uint8Array> {
  for (const { path, sha256, bytes } of batch) {
    const full = join(directory, path)
    if (bytes <= smallBytes) {
      const content = await readFile(full)
      if (createHash('sha256').update(content).digest('hex') !== sha256) throw changed(path)
      yield Buffer.concat([frameHeader(sha256, bytes), content])
    } else {
      yield frameHeader(sha256, bytes)
      yield* readPieces(full, path, bytes, progress)
    }
    if (bytes <= smallBytes) await progress?.add(bytes)
  }
}

/** Reads a large file as it is now. The server detects changes by the hash. */
async function* readPieces(
  full: string,
  path: string,
  bytes: number,
  progress: Progress | null,
): AsyncGenerator<Uint8Array> {
  const file = await open(full)
  let left = bytes
  for await (const piece of file.createReadStream({ highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    left -= piece.length
    if (left < 0) throw changed(path)
    yield piece
    await progress?.add(piece.length)
  }
  if (left > 0) throw changed(path)
}

function changed(path: string, cause?: unknown): GpuqError {
  return conflict(`${path} changed during the upload. Run the command again.`, {
    cause,
  })
}
