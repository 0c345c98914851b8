import { GpuqError } from '../contract/errors'

/**
 * Reads a body of plain bytes, at least one.
 * @throws 415 when it is said to be anything else, 413 over the limit.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/octet-stream') {
    const message = 'Send bytes, with the header "Content-Type: application/octet-stream".'
    throw new GpuqError('unsupported_media_type', message)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > maxBytes) {
      throw new GpuqError(
        'payload_too_large',
        `The body is larger than ${maxBytes} bytes. Send less at once.`,
      )
    }
    chunks.push(chunk)
  }
  if (size === 0) throw new GpuqError('invalid_request', 'The body is empty. Send at least one byte.')
  return Buffer.concat(chunks)
}
