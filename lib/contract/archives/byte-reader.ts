/** Reads a stream of bytes piece by piece, in the sizes that a format needs. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #broken: (cause?: unknown) => unknown
  #held: Uint8Array = new Uint8Array(0)

  /** `broken` makes the error for a stream that ends inside of what was asked for, or that fails with a cause. */
  constructor(source: AsyncIterable<Uint8Array>, broken: (cause?: unknown) => unknown) {
    this.#source = source[Symbol.asyncIterator]()
    this.#broken = broken
  }

  /** Exactly so many bytes. Null at the end of the stream. */
  async block(bytes: number): Promise<Uint8Array | null> {
    const block = new Uint8Array(bytes)
    let filled = 0
    while (filled < bytes) {
      const piece = await this.#take(bytes - filled)
      if (piece === null && filled === 0) return null
      if (piece === null) throw this.#broken()
      block.set(piece, filled)
      filled += piece.length
    }
    return block
  }

  /** Returns a number of bytes as they arrive. */
  async *content(bytes: number): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      const piece = await this.#take(left)
      if (piece === null) throw this.#broken()
      left -= piece.length
      yield piece
    }
  }

  /** Stops reading the stream. */
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
      throw this.#broken(cause)
    }
  }
}
