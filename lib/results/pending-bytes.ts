/**
 * Bytes that wait for the end of their line. Grows by doubling: a job that writes one byte at a time costs
 * linear time, where joining buffers at every write would cost quadratic.
 */
export class PendingBytes {
  #buffer = Buffer.allocUnsafe(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** What waits, without a copy: valid until the next change. */
  get view(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2))
      grown.set(this.view)
      this.#buffer = grown
    }
    this.#buffer.set(bytes, this.#length)
    this.#length = needed
  }

  /** Forgets the first `count` bytes. */
  drop(count: number): void {
    this.#buffer.copyWithin(0, count, this.#length)
    this.#length -= count
    if (this.#length === 0 && this.#buffer.length > 1 << 20) this.#buffer = Buffer.allocUnsafe(1024)
  }
}
