import type { OutputStream } from '../contract/output/printed-output'
import type { StoredMetrics } from './metrics'
import { type EncodedOutput, type EncoderOptions, type EncoderState, StreamRecorder } from './stream-recorder'
import { maxJsonHoldMs } from './stream-state'
import { type OutputPiece, TracebackHold } from './traceback-hold'
import { incompleteTail } from './utf8'

export type { EncodedOutput, EncoderState } from './stream-recorder'

/** Output of one stream that waits for the end of the other stream's line. */
interface Follower {
  stream: OutputStream
  pieces: Buffer[]
  bytes: number
  since: Date
}

const lineFeed = 0x0a
/** Maximum output that waits for the end of the other stream's line. More is recorded before that line. */
const maxFollowingBytes = 1 << 20

/**
 * Converts the output of a task to records; one encoder per task. Feed the raw bytes as they arrive, call `flush`
 * about every 50 ms to show partial lines and progress bars, and call `end` once after both streams have ended.
 * Records the lines of both streams in the order in which they began: while one stream has an unfinished line, the
 * other waits until that line ends or is recorded as a partial line. A traceback waits until the other stream has passed it.
 * Store `state` in the same transaction as the records, so that a restart neither loses nor repeats output.
 */
export class OutputEncoder {
  readonly #recorder: StreamRecorder
  /** Null with a terminal, which has one stream. */
  readonly #tracebacks: TracebackHold | null
  #follower: Follower | null = null

  constructor(options: EncoderOptions) {
    this.#recorder = new StreamRecorder(options)
    this.#tracebacks = options.terminal ? null : new TracebackHold()
  }

  get state(): EncoderState {
    const { stdout, stderr } = this.#recorder.streams
    return {
      consumed: { stdout: stdout.consumed, stderr: stderr.consumed },
      encodedBytes: this.#recorder.encodedBytes,
    }
  }

  /** True once the output limit is used up; nothing is recorded afterwards. */
  get limitReached(): boolean {
    return this.#recorder.limitReached
  }

  /**
   * True while a partial line or a traceback waits that a later `flush` will return. An incomplete character waits for
   * `feed` instead.
   */
  get holdsOutput(): boolean {
    if (this.#tracebacks?.isHolding) return true
    return this.#follower !== null || this.#isMidLine('stdout') || this.#isMidLine('stderr')
  }

  /** Returns the last number of each metric; null if they have not changed since the last call. */
  takeMetrics(): StoredMetrics | null {
    return this.#recorder.metrics.take()
  }

  /** Raw bytes dropped because of the output limit. */
  get droppedBytes(): number {
    return this.#recorder.droppedBytes
  }

  /** Raw bytes replaced because they were not UTF-8, since this encoder was created. */
  get replacedBytes(): number {
    return this.#recorder.replacedBytes
  }

  /**
   * Declares that the next bytes of this stream were never recorded, even if an earlier process recorded more than
   * has arrived so far.
   */
  stopSkipping(stream: OutputStream): void {
    this.#recorder.streams[stream].stopSkipping()
  }

  /** Takes raw bytes of one stream and returns the completed records. */
  feed(stream: OutputStream, bytes: Buffer, at: Date): EncodedOutput {
    const received = this.#recorder.streams[stream].receive(bytes)
    this.#acceptAll(this.#tracebacks?.push(stream, received, at) ?? [{ stream, bytes: received }], at)
    return this.#recorder.take()
  }

  /**
   * Returns the pending partial lines, except a line that may become a result within a second, and a traceback that has
   * waited long enough.
   */
  flush(at: Date): EncodedOutput {
    this.#acceptAll(this.#tracebacks?.release(at) ?? [], at)
    for (const stream of this.#streamsInOrder()) {
      this.#recorder.recordPiece(stream, at)
      if (!this.#isMidLine(stream) && this.#follower?.stream !== stream) this.#release(at)
    }
    if (this.#follower && at.getTime() - this.#follower.since.getTime() >= maxJsonHoldMs)
      this.#overtake(this.#follower, at)
    return this.#recorder.take()
  }

  /** Returns a traceback that waits, because something else of gpuq comes after it. */
  releaseTraceback(at: Date): EncodedOutput {
    this.#acceptAll(this.#tracebacks?.end() ?? [], at)
    return this.#recorder.take()
  }

  /** Returns everything pending and a record of what was dropped. Call it once, after both streams have ended. */
  end(at: Date): EncodedOutput {
    this.#acceptAll(this.#tracebacks?.end() ?? [], at)
    for (const stream of this.#streamsInOrder()) {
      this.#recorder.recordLastLine(stream, at)
      this.#release(at)
    }
    if (this.droppedBytes > 0) this.#recorder.recordTruncation(at)
    return this.#recorder.take()
  }

  #acceptAll(pieces: readonly OutputPiece[], at: Date): void {
    for (const { stream, bytes } of pieces) this.#accept(stream, bytes, at)
  }

  /** Records new bytes, or keeps them while the other stream has an unfinished line. */
  #accept(stream: OutputStream, bytes: Buffer, at: Date): void {
    if (bytes.length === 0) return
    if (this.#follower === null && !this.limitReached && this.#isMidLine(otherThan(stream)))
      this.#follower = { stream, pieces: [], bytes: 0, since: at }
    if (this.#follower === null) this.#recorder.record(stream, bytes, at)
    else if (this.#follower.stream === stream) this.#follow(this.#follower, bytes, at)
    else this.#continueLine(stream, bytes, at)
  }

  /** Records new bytes of the stream with the unfinished line: what follows that line comes after the other stream. */
  #continueLine(stream: OutputStream, bytes: Buffer, at: Date): void {
    const lineEnd = bytes.indexOf(lineFeed) + 1
    const end = lineEnd === 0 ? bytes.length : lineEnd
    this.#recorder.record(stream, bytes.subarray(0, end), at)
    if (!this.#isMidLine(stream)) this.#release(at)
    this.#accept(stream, bytes.subarray(end), at)
  }

  #follow(follower: Follower, bytes: Buffer, at: Date): void {
    follower.pieces.push(bytes)
    follower.bytes += bytes.length
    if (follower.bytes > maxFollowingBytes) this.#overtake(follower, at)
  }

  /** Records what waits before the unfinished line, which takes too long. */
  #overtake({ stream, pieces }: Follower, at: Date): void {
    this.#follower = null
    this.#recorder.record(stream, Buffer.concat(pieces), at)
  }

  /** Records what waited for a line that is recorded now. */
  #release(at: Date): void {
    const follower = this.#follower
    this.#follower = null
    if (follower) this.#accept(follower.stream, Buffer.concat(follower.pieces), at)
  }

  /** Whether an unfinished line waits, apart from an incomplete character at its end. */
  #isMidLine(stream: OutputStream): boolean {
    const { pending } = this.#recorder.streams[stream]
    return pending.length > incompleteTail(pending.view)
  }

  /** The stream whose unfinished line began first comes first. */
  #streamsInOrder(): OutputStream[] {
    if (this.#follower) return [otherThan(this.#follower.stream), this.#follower.stream]
    const { stdout, stderr } = this.#recorder.streams
    return stderr.pendingSince < stdout.pendingSince ? ['stderr', 'stdout'] : ['stdout', 'stderr']
  }
}

function otherThan(stream: OutputStream): OutputStream {
  return stream === 'stdout' ? 'stderr' : 'stdout'
}
