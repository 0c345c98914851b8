import { createHash } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { inParallel } from '@/lib/async/pool'
import { frameHeader } from '@/lib/contract/archives/archive-frames'
import { type FileEntry, isLink } from '@/lib/contract/archives/archive-manifest'
import { conflict, type GpuqError } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import type { Listed } from './list-directory'
import type { Progress } from './progress'

/** Files up to this size share a request. Each larger file has its own request. */
const smallBytes = 4 * 1024 * 1024
const batchBytes = 16 * 1024 * 1024
const batchFiles = 1_000
const requestsAtOnce = 4

interface Sending {
  client: Client
  projectId: string
  listed: Listed
  progress: Progress | null
}

/** Uploads the given contents of a directory. Contents that arrived before a failure are kept. */
export async function sendContents(sending: Sending, missing: readonly string[]): Promise<void> {
  const wanted = new Set(missing)
  const files = sending.listed.entries.flatMap((entry) => {
    // Send each content once, however many files have it.
    return !isLink(entry) && wanted.delete(entry.sha256) ? [entry] : []
  })
  await inParallel(toBatches(files), requestsAtOnce, (batch) => sendBatch(sending, batch))
}

/** Groups small files. Large files stay alone. */
function toBatches(files: readonly FileEntry[]): FileEntry[][] {
  const batches: FileEntry[][] = []
  let open: FileEntry[] = []
  let bytes = 0
  for (const file of files) {
    if (file.bytes > smallBytes) batches.push([file])
    else {
      if (open.length > 0 && (bytes + file.bytes > batchBytes || open.length === batchFiles)) {
        batches.push(open)
        open = []
        bytes = 0
      }
      open.push(file)
      bytes += file.bytes
    }
  }
  return open.length > 0 ? [...batches, open] : batches
}

async function sendBatch(
  { client, projectId, listed, progress }: Sending,
  batch: FileEntry[],
): Promise<void> {
  const frames = Readable.from(toFrames(listed.directory, batch, progress), { objectMode: false })
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
  batch: FileEntry[],
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
