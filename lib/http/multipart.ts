import busboy, { type Busboy } from 'busboy'
import type { GpuqError } from '../contract/errors'
import { PartCollector, partNames, refusal, type Upload } from './multipart-parts'

export interface UploadLimits {
  maxPartBytes: number
  timeoutMs: number
}

/** Boundaries and part headers need a few hundred bytes: this leaves room for every client's habits. */
const overheadBytes = 64 * 1024
const sliceBytes = 64 * 1024
const maxParts = 8

/** What is still taken in, unread, from a client whose upload was refused. */
const mostDiscardedBytes = 16 * 1024 * 1024
const longestDiscardMs = 10_000

/**
 * Reads the two parts of an upload, each as a file (`-F code=@solution.py`) or as a field (`-F "code=<solution.py"`).
 * Stops reading at the first thing that is wrong, whatever is still to come.
 * @throws 400 broken, 408 too slow, 413 too large, 415 no form, 422 wrong parts; each says what to change.
 */
export async function readUpload(
  request: Request,
  { maxPartBytes, timeoutMs }: UploadLimits,
): Promise<Upload> {
  checkHeaders(request.headers, maxPartBytes)
  const parser = createParser(request.headers, maxPartBytes)
  const parts = new PartCollector(parser, maxPartBytes)
  const reader = (request.body ?? new Blob([]).stream()).getReader()
  const timer = new AbortController()
  try {
    await Promise.race([feed(reader, parser, parts, maxPartBytes), deadline(timeoutMs, timer.signal)])
  } finally {
    timer.abort()
    parser.destroy()
    // Not awaited: a client that goes on sending would hold the answer back.
    discardRest(reader).catch(() => undefined)
  }
  return parts.finish()
}

function mostBytes(maxPartBytes: number): number {
  return partNames.length * maxPartBytes + overheadBytes
}

function checkHeaders(headers: Headers, maxPartBytes: number): void {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity') {
    throw refusal('unsupported_media_type', 'Send the upload uncompressed, without Content-Encoding.')
  }
  const type = headers.get('content-type') ?? ''
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(type)) {
    throw refusal(
      'unsupported_media_type',
      'Send multipart/form-data with the parts code and config_file: curl does so with -F.',
    )
  }
  if (Number(headers.get('content-length') ?? 0) > mostBytes(maxPartBytes)) throw tooLarge(maxPartBytes)
}

function createParser(headers: Headers, maxPartBytes: number): Busboy {
  try {
    return busboy({
      headers: { 'content-type': headers.get('content-type') ?? '' },
      // Latin-1 keeps a field's bytes as they are.
      defCharset: 'latin1',
      defParamCharset: 'utf8',
      limits: { fileSize: maxPartBytes + 1, fieldSize: maxPartBytes + 1, parts: maxParts },
    })
  } catch {
    throw refusal(
      'invalid_request',
      'The Content-Type names no boundary: let your HTTP client set that header.',
    )
  }
}

async function feed(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  parser: Busboy,
  parts: PartCollector,
  maxPartBytes: number,
): Promise<void> {
  let received = 0
  for (let next = await read(reader); !next.done; next = await read(reader)) {
    for (let start = 0; start < next.value.length; start += sliceBytes) {
      const slice = next.value.subarray(start, start + sliceBytes)
      received += slice.length
      await new Promise<void>((resolve) => parser.write(slice, () => resolve()))
      parts.throwIfRefused()
      if (parser.destroyed) return
      if (received > mostBytes(maxPartBytes)) throw tooLarge(maxPartBytes)
    }
  }
  await new Promise<void>((resolve) => {
    parser.once('close', resolve)
    parser.end()
  })
  parts.throwIfRefused()
}

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read()
  } catch {
    throw refusal('invalid_request', 'The upload broke off before its end. Send it again.')
  }
}

/**
 * Many clients look for an answer only when all is sent: closing the connection under them would turn a clear refusal
 * into a broken pipe. So what is left is taken in and thrown away, up to a limit; past it the connection goes.
 */
async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const giveUp = setTimeout(() => reader.cancel().catch(() => undefined), longestDiscardMs)
  try {
    let left = mostDiscardedBytes
    for (let next = await reader.read(); !next.done && left > 0; next = await reader.read()) {
      left -= next.value.length
    }
    await reader.cancel()
  } finally {
    clearTimeout(giveUp)
  }
}

function deadline(timeoutMs: number, stopped: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const message = `The upload did not arrive within ${timeoutMs / 1000} seconds. Send it again.`
    const timer = setTimeout(() => reject(refusal('request_timeout', message)), timeoutMs)
    stopped.addEventListener('abort', () => clearTimeout(timer))
  })
}

function tooLarge(maxPartBytes: number): GpuqError {
  const message = `The upload is too large: code and config_file may have ${maxPartBytes} bytes each.`
  return refusal('payload_too_large', message)
}
