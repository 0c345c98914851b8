import { type GpuqError, invalidRequest } from '../errors'
import { ByteReader } from './byte-reader'

/**
 * The format of a sequence of contents, each as SHA-256 (32 bytes), size (8 bytes, big-endian) and content. So one
 * request can have thousands of small files, or one large file.
 */
const headerBytes = 40

export interface Frame {
  /** In hexadecimal. */
  sha256: string
  bytes: number
  /** Read it to its end before the next frame. */
  content: AsyncIterable<Uint8Array>
}

export function frameHeader(sha256: string, bytes: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(headerBytes)
  for (let at = 0; at < 32; at++) header[at] = Number.parseInt(sha256.slice(2 * at, 2 * at + 2), 16)
  new DataView(header.buffer).setBigUint64(32, BigInt(bytes))
  return header
}

/** Reads frames as they arrive. @throws GpuqError if the stream ends inside one. */
export async function* readFrames(source: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const reader = new ByteReader(source, endedEarly)
  try {
    for (let header = await reader.block(headerBytes); header; header = await reader.block(headerBytes)) {
      const bytes = Number(new DataView(header.buffer, header.byteOffset).getBigUint64(32))
      if (!Number.isSafeInteger(bytes))
        throw invalidRequest('The size of a content is invalid. Send it as 8 bytes, big-endian.')
      const sha256 = Buffer.from(header.buffer, header.byteOffset, 32).toString('hex')
      yield { sha256, bytes, content: reader.content(bytes) }
    }
  } finally {
    await reader.close()
  }
}

function endedEarly(cause?: unknown): GpuqError {
  return invalidRequest('The upload ended early. Send it again.', { cause })
}
