import type { OutputStream } from '../contract/printed-output'
import { bytesStartLikeJson, maxResultBytes } from './json-text'
import { PendingBytes } from './pending-bytes'

/** Maximum time in milliseconds for which the start of a possible JSON line is held back. */
export const maxJsonHoldMs = 1000

const lineFeed = 0x0a

/** The state of one output stream of a task: what was recorded, and what waits for the end of its line. */
export class StreamState {
  readonly pending = new PendingBytes()
  /** Whether the start of the current line was recorded already, so that its rest is not a complete line. */
  midLine = false
  /** Raw bytes whose records were returned. */
  consumed: number
  #received = 0
  #toSkip: number
  /** When the pending bytes began, in milliseconds since 1970. */
  pendingSince = 0

  constructor(
    readonly stream: OutputStream,
    consumed: number,
    readonly holdMs = maxJsonHoldMs,
  ) {
    this.consumed = consumed
    this.#toSkip = consumed
  }

  /** Raw bytes received whose records were not returned yet. */
  get unrecorded(): number {
    return Math.max(0, this.#received - this.consumed)
  }

  /** Counts received bytes, and removes those that an earlier process recorded. */
  receive(bytes: Buffer): Buffer {
    this.#received += bytes.length
    const skipped = Math.min(this.#toSkip, bytes.length)
    if (skipped === 0) return bytes
    this.#toSkip -= skipped
    // The last skipped byte tells whether the earlier process stopped within a line.
    this.midLine = bytes[skipped - 1] !== lineFeed
    return bytes.subarray(skipped)
  }

  /** Declares that the next bytes were never recorded, even if an earlier process recorded more than has arrived. */
  stopSkipping(): void {
    if (this.#toSkip > 0) this.midLine = true
    this.#toSkip = 0
    this.#received = Math.max(this.#received, this.consumed)
  }

  keep(bytes: Buffer, at: Date): void {
    if (bytes.length === 0) return
    if (this.pending.length === 0) this.pendingSince = at.getTime()
    this.pending.append(bytes)
  }

  /** True while the pending bytes may become a result: a complete stdout line of JSON. */
  mayBecomeResult(at: Date): boolean {
    return (
      this.stream === 'stdout' &&
      !this.midLine &&
      this.pending.length <= maxResultBytes &&
      at.getTime() - this.pendingSince < this.holdMs &&
      bytesStartLikeJson(this.pending.view)
    )
  }
}
