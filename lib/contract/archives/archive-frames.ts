import { type GpuqError, invalidRequest } from '../errors'

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
  const reader = new ByteReader(source)
  try {
    for (let header = await reader.header(); header; header = await reader.header()) {
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

class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #held: Uint8Array = new Uint8Array(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Null at the end of the stream. */
  async header(): Promise<Uint8Array | null> {
    const header = new Uint8Array(headerBytes)
    let filled = 0
    while (filled < headerBytes) {
      const piece = await this.#take(headerBytes - filled)
      if (piece === null && filled === 0) return null
      if (piece === null) throw endedEarly()
      header.set(piece, filled)
      filled += piece.length
    }
    return header
  }

  async *content(bytes: number): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      const piece = await this.#take(left)
      if (piece === null) throw endedEarly()
      left -= piece.length
      yield piece
    }
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }

  /** The available bytes, at most `most`; null at the end. */
  async #take(most: number): Promise<Uint8Array | null> {
    while (this.#held.length === 0) {
      const next = await this.#next()
      if (next === null) return null
      this.#held = next
    }
    const piece = this.#held.subarray(0, most)
    this.#held = this.#held.subarray(piece.length)
    return piece
  }

  async #next(): Promise<Uint8Array | null> {
    try {
      const { done, value } = await this.#source.next()
      return done ? null : value
    } catch (cause) {
      throw endedEarly(cause)
    }
  }
}

function endedEarly(cause?: unknown): GpuqError {
  return invalidRequest('The upload ended early. Send it again.', { cause })
}
