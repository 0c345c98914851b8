import type { OutputStream } from '../contract/output/printed-output'
import { bytesStartLikeJson, isStorable, largeLineBytes, maxResultBytes, maxResultDepth } from './json-text'
import { JsonValidator } from './json-validator'
import { PendingBytes } from './pending-bytes'

/** Maximum time in milliseconds for which the start of a possible JSON line is delayed. */
export const maxJsonHoldMs = 1000
/** A line that arrives faster than this is delayed for longer. Progress bars and logs are slower. */
export const longLineBytesPerSecond = 256 * 1024
/** Shorter starts of lines that look like JSON are usually something else. */
const missedResultBytes = 64 * 1024

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
  /** Checks a large line. */
  #validator = new JsonValidator(maxResultDepth)
  #validatedBytes = 0
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
    if (this.pending.length === 0) {
      this.pendingSince = at.getTime()
      this.#validator = new JsonValidator(maxResultDepth)
      this.#validatedBytes = 0
    }
    this.pending.append(bytes)
  }

  /** True while the pending bytes may become a result: a complete stdout line of JSON. */
  mayBecomeResult(at: Date): boolean {
    return (
      this.stream === 'stdout' &&
      !this.midLine &&
      this.pending.length <= maxResultBytes &&
      this.#mayWait(at) &&
      bytesStartLikeJson(this.pending.view) &&
      (this.pending.length <= largeLineBytes || this.#validate())
    )
  }

  /** True if the pending bytes are a long line of JSON that is not a result, because it is too long or too slow. */
  isMissedResult(at: Date): boolean {
    const { length } = withoutLineFeed(this.pending.view)
    if (this.stream !== 'stdout' || this.midLine || length < missedResultBytes) return false
    return (length > maxResultBytes || !this.#mayWait(at)) && this.#validate(length)
  }

  /** True if the pending bytes, without the line feed at their end, are a large result. */
  isLargeResult(): boolean {
    const line = withoutLineFeed(this.pending.view)
    if (this.stream !== 'stdout' || this.midLine) return false
    if (line.length <= largeLineBytes || line.length > maxResultBytes) return false
    this.#validate(line.length)
    return this.#validator.isComplete && !this.#validator.hasNotFinite && isStorable(line)
  }

  #mayWait(at: Date): boolean {
    const ms = at.getTime() - this.pendingSince
    return this.holdMs > 0 && (ms < this.holdMs || this.pending.length * 1000 >= ms * longLineBytesPerSecond)
  }

  /** Checks the pending bytes that were not checked before. */
  #validate(end = this.pending.length): boolean {
    this.#validator.push(this.pending.view.subarray(this.#validatedBytes, end))
    this.#validatedBytes = end
    return this.#validator.mayBeValid
  }
}

function withoutLineFeed(line: Buffer): Buffer {
  return line.at(-1) === lineFeed ? line.subarray(0, -1) : line
}
