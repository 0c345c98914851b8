/**
 * Bytes that wait for the end of their line. The buffer doubles when full, so a job that writes single bytes costs
 * linear time; concatenating at every write would cost quadratic time.
 */
export class PendingBytes {
  #buffer = Buffer.allocUnsafe(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** The pending bytes without a copy; valid until the next change. */
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

  /** Removes the first `count` bytes. */
  drop(count: number): void {
    this.#buffer.copyWithin(0, count, this.#length)
    this.#length -= count
    if (this.#length === 0 && this.#buffer.length > 1 << 20) this.#buffer = Buffer.allocUnsafe(1024)
  }
}
