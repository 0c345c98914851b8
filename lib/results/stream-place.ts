import type { OutputStream } from '../contract/printed-output'
import { bytesStartLikeJson, maxResultBytes } from './json-text'
import { PendingBytes } from './pending-bytes'

/** How long the beginning of what may be a JSON line is held back, so that it can become one result. */
export const holdJsonMs = 1000

const lineFeed = 0x0a

/** Where one stream of a task stands: what was given out, and what waits for the end of its line. */
export class StreamPlace {
  readonly pending = new PendingBytes()
  /** The line's beginning was given out already, so the rest of it is no whole line. */
  midLine = false
  /** Raw bytes whose records were given out. */
  consumed: number
  #received = 0
  #toSkip: number
  #pendingSince = 0

  constructor(
    readonly stream: OutputStream,
    consumed: number,
    readonly holdMs = holdJsonMs,
  ) {
    this.consumed = consumed
    this.#toSkip = consumed
  }

  /** Raw bytes that came and whose records were never given out. */
  get unrecorded(): number {
    return Math.max(0, this.#received - this.consumed)
  }

  /** Counts bytes in, and cuts off those that an earlier process recorded. */
  receive(bytes: Buffer): Buffer {
    this.#received += bytes.length
    const skipped = Math.min(this.#toSkip, bytes.length)
    if (skipped === 0) return bytes
    this.#toSkip -= skipped
    // The last byte before the place where that process stopped tells whether it was within a line.
    this.midLine = bytes[skipped - 1] !== lineFeed
    return bytes.subarray(skipped)
  }

  /** What comes next was never recorded, whatever an earlier process had recorded beyond what came until now. */
  skipNoMore(): void {
    if (this.#toSkip > 0) this.midLine = true
    this.#toSkip = 0
    this.#received = Math.max(this.#received, this.consumed)
  }

  keep(bytes: Buffer, at: Date): void {
    if (bytes.length === 0) return
    if (this.pending.length === 0) this.#pendingSince = at.getTime()
    this.pending.append(bytes)
  }

  /** True while what waits may still become a result: a whole stdout line of JSON. */
  mayBecomeResult(at: Date): boolean {
    return (
      this.stream === 'stdout' &&
      !this.midLine &&
      this.pending.length <= maxResultBytes &&
      at.getTime() - this.#pendingSince < this.holdMs &&
      bytesStartLikeJson(this.pending.view)
    )
  }
}
