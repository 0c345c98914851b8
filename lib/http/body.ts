import type { z } from 'zod'
import { GpuqError, invalidRequest, payloadTooLarge } from '../contract/errors'
import { idempotencyKeySchema } from '../contract/jobs'
import type { Operation } from '../contract/operations/operation'
import { parseInput } from '../contract/parse-input'

const maxJsonBytes = 256 * 1024

/** A request's media type, without its parameters. */
export function mediaType(request: Request): string | undefined {
  return request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
}

/** The key that makes a repeated request the same job; null if the request has none. */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers.get('idempotency-key')
  if (key === null || idempotencyKeySchema.safeParse(key).success) return key
  const message = 'An Idempotency-Key is 1 to 255 printable ASCII characters without spaces.'
  throw invalidRequest(message)
}

/** The chunks of a body. @throws 400 if the client ends the request early: that is no failure of the server. */
export async function* bodyChunks(request: Request): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader()
  if (!reader) return
  try {
    for (let next = await readChunk(reader); !next.done; next = await readChunk(reader)) yield next.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** The next chunk of a body. @throws 400 with the message if the client ended the request early. */
export async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  message = 'The request ended before the end of its body. Send it again.',
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read()
  } catch {
    throw invalidRequest(message)
  }
}

/** Reads a body into memory. @throws 413 with the message if it is larger than the limit. */
export async function readLimited(request: Request, maxBytes: number, message: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bodyChunks(request)) {
    size += chunk.length
    if (size > maxBytes) throw payloadTooLarge(message)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads and parses an operation's JSON body. An optional body that is missing is an empty object, of any media type. */
export async function readJson<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  { bodyOptional, maxBodyBytes = maxJsonBytes }: Pick<Operation, 'bodyOptional' | 'maxBodyBytes'> = {},
): Promise<z.output<Schema>> {
  if (!bodyOptional) requireJson(request)
  const tooLarge = `The JSON body is larger than ${maxBodyBytes / 1024} KiB. Send a smaller one.`
  const body = await readLimited(request, maxBodyBytes, tooLarge)
  if (bodyOptional && body.length === 0) return parseInput(schema, {})
  requireJson(request)
  return parseInput(schema, parseJson(body))
}

/**
 * Reads a body of plain bytes, at least one.
 * @throws 415 for another media type, 413 if it is larger than the limit.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  if (mediaType(request) !== 'application/octet-stream') {
    const message = 'Send bytes, with the header "Content-Type: application/octet-stream".'
    throw new GpuqError('unsupported_media_type', message)
  }
  const tooLarge = `The body is larger than ${maxBytes} bytes. Send it in several requests.`
  const body = await readLimited(request, maxBytes, tooLarge)
  if (body.length === 0) throw invalidRequest('The body is empty. Send at least one byte.')
  return body
}

function requireJson(request: Request): void {
  if (mediaType(request) === 'application/json') return
  const message = 'Send JSON, with the header "Content-Type: application/json".'
  throw new GpuqError('unsupported_media_type', message)
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw invalidRequest('The body is not valid JSON. Check quotes, commas and brackets.')
  }
}
