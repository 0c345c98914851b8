import busboy, { type Busboy } from 'busboy'
import type { DirectoryUpload } from '../archives/unpack/directory-upload'
import { GpuqError, invalidRequest, payloadTooLarge } from '../contract/errors'
import { env } from '../env'
import { readChunk } from './body'
import { maxPartBytes, PartCollector, partNames, type Upload } from './multipart-parts'
import type { TakeBytes } from './unauthenticated-uploads'

export interface UploadOptions {
  /** How long an upload without a directory may take. Default: a minute. */
  timeoutMs?: number
  /** Called before bytes are kept in memory. Throws if too many are kept already. */
  takeBytes?: TakeBytes | undefined
  /** Receives the files of a directory. Null: the sender is unknown, so nothing is written for it. */
  directory?: DirectoryUpload | null
}

/** Boundaries and part headers need a few hundred bytes; the rest is a reserve for unusual clients. */
const maxFormBytes = partNames.length * maxPartBytes + 64 * 1024
/** Boundary and headers of one file. */
const maxFileOverheadBytes = 2 * 1024
const sliceBytes = 64 * 1024
const MiB = 1024 * 1024
const maxParts = 8

/** Limits for the rest of a refused upload, which is received and discarded. */
const maxDiscardedBytes = 16 * 1024 * 1024
const maxDiscardMs = 10_000

/**
 * Reads the parts of an upload: `code` and `config_file`, each as a file (`-F code=@solution.py`) or as a field
 * (`-F "code=<solution.py"`), and the files of a directory, which go to `directory`. Stops reading at the first error.
 * @throws 400 broken, 408 too slow, 413 too large, 415 no form, 422 wrong parts; each says what to change.
 */
export async function readUpload(
  request: Request,
  { timeoutMs = 60_000, takeBytes, directory = null }: UploadOptions = {},
): Promise<Upload> {
  const limits = limitsOf(directory)
  checkHeaders(request.headers, limits.bytes)
  const parser = createParser(request.headers, limits.parts)
  const reader = (request.body ?? new Blob([]).stream()).getReader()
  const limit = startDeadline(timeoutMs)
  // A directory takes longer. The web server closes a connection that makes no progress.
  const parts = new PartCollector(parser, directory, limit.stop)
  try {
    const fed = feed(reader, { parser, parts, takeBytes, maxBytes: limits.bytes })
    await Promise.race([fed, limit.passed])
  } finally {
    limit.stop()
    parser.destroy()
    await parts.stored()
    // Not awaited, because a client that continues to send would delay the response.
    discardRest(reader).catch(() => undefined)
  }
  return parts.finish()
}

/** Limits of the whole body. */
function limitsOf(directory: DirectoryUpload | null): { bytes: number; parts: number } {
  if (directory === null) return { bytes: maxFormBytes, parts: maxParts }
  const { GPUQ_MAX_ARCHIVE_MIB: mib, GPUQ_MAX_ARCHIVE_FILES: files } = env()
  return { bytes: maxFormBytes + mib * MiB + files * maxFileOverheadBytes, parts: maxParts + files }
}

function checkHeaders(headers: Headers, maxBytes: number): void {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity') {
    throw new GpuqError('unsupported_media_type', 'Send the upload uncompressed, without Content-Encoding.')
  }
  const type = headers.get('content-type') ?? ''
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(type)) {
    const message = 'Send multipart/form-data with the parts code and config_file, as curl does with -F.'
    throw new GpuqError('unsupported_media_type', message)
  }
  if (Number(headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

function createParser(headers: Headers, maxParts: number): Busboy {
  try {
    return busboy({
      headers: { 'content-type': headers.get('content-type') ?? '' },
      // Latin-1 keeps a field's bytes as they are.
      defCharset: 'latin1',
      defParamCharset: 'utf8',
      // A file of a directory has a path.
      preservePath: true,
      limits: { fieldSize: maxPartBytes + 1, parts: maxParts },
    })
  } catch {
    const message = 'The Content-Type names no boundary. Let your HTTP client set that header.'
    throw invalidRequest(message)
  }
}

interface Feeding {
  parser: Busboy
  parts: PartCollector
  takeBytes: TakeBytes | undefined
  maxBytes: number
}

async function feed(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { parser, parts, takeBytes, maxBytes }: Feeding,
): Promise<void> {
  let received = 0
  const nextChunk = () => readChunk(reader, 'The upload ended early. Send it again.')
  for (let next = await nextChunk(); !next.done; next = await nextChunk()) {
    takeBytes?.(next.value.length)
    for (let start = 0; start < next.value.length; start += sliceBytes) {
      const slice = next.value.subarray(start, start + sliceBytes)
      received += slice.length
      await new Promise<void>((resolve) => parser.write(slice, () => resolve()))
      parts.throwIfRefused()
      if (parser.destroyed) return
      if (received > maxBytes) throw tooLarge(maxBytes)
    }
  }
  await new Promise<void>((resolve) => {
    parser.once('close', resolve)
    parser.end()
  })
  await parts.stored()
  parts.throwIfRefused()
}

/**
 * Many clients read the response only after they have sent everything. If the connection closed before, they would
 * report a broken pipe instead of the error. So the rest is received and discarded, up to a limit; then the connection
 * is closed.
 */
async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const giveUp = setTimeout(() => reader.cancel().catch(() => undefined), maxDiscardMs)
  try {
    let left = maxDiscardedBytes
    for (let next = await reader.read(); !next.done && left > 0; next = await reader.read()) {
      left -= next.value.length
    }
    await reader.cancel()
  } finally {
    clearTimeout(giveUp)
  }
}

/** Fails after some time, unless it is stopped. An AbortController would make an error with a stack for each upload. */
function startDeadline(timeoutMs: number): { passed: Promise<never>; stop: () => void } {
  let timer: NodeJS.Timeout | undefined
  const passed = new Promise<never>((_, reject) => {
    const message = `The upload did not arrive within ${timeoutMs / 1000} seconds. Send it again.`
    timer = setTimeout(() => reject(new GpuqError('request_timeout', message)), timeoutMs)
  })
  return { passed, stop: () => clearTimeout(timer) }
}

function tooLarge(maxBytes: number): GpuqError {
  const directory =
    maxBytes > maxFormBytes ? `, and all files ${env().GPUQ_MAX_ARCHIVE_MIB} MiB together` : ''
  const message = `The upload is too large. code and config_file may have ${maxPartBytes} bytes each${directory}.`
  return payloadTooLarge(message)
}
