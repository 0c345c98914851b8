import type { Readable } from 'node:stream'

const MiB = 1024 * 1024

interface QueueLimits {
  /** Unread bytes above which the source must wait. */
  high: number
  /** Bytes read after every `everyMs` while the source waits, until `most` are held. */
  trickle: number
  everyMs: number
  most: number
}

const defaults: QueueLimits = { high: MiB, trickle: MiB / 8, everyMs: 250, most: 32 * MiB }

/**
 * Reads a container's output into a bounded queue, and makes the container wait if nobody reads from the queue.
 * The source must never stop completely. When a container ends, the engine gives readers two seconds for the rest of
 * its pipes (about 200 KB per stream) and discards it afterwards, also from its log: of 1.4 MB printed during a
 * stall of six seconds, 97 KB were lost. A waiting source is therefore still read at 512 KiB per second. Only after
 * a stall of a minute, longer than a node without a database may continue, is `most` reached.
 */
export class OutputQueue implements AsyncIterable<Buffer> {
  private readonly held: Buffer[] = []
  private bytes = 0
  private limit: number
  private timer: NodeJS.Timeout | undefined
  private ended = false
  private failure: Error | undefined
  private wake: () => void = () => {}

  constructor(
    private readonly source: Readable,
    private readonly limits: QueueLimits = defaults,
  ) {
    this.limit = limits.high
    source.on('data', (piece: Buffer) => this.take(piece))
    source.on('end', () => this.finish())
    source.on('close', () => this.finish())
    source.on('error', (error: Error) => {
      this.failure = error
      this.finish()
    })
  }

  /** Yields the output in order. Throws the source's error after everything before it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const piece = this.held.shift()
        if (piece !== undefined) {
          this.release(piece.length)
          yield piece
        } else if (this.ended) {
          if (this.failure !== undefined) throw this.failure
          return
        } else {
          await new Promise<void>((resolve) => {
            this.wake = resolve
          })
        }
      }
    } finally {
      this.close()
    }
  }

  /** True if nothing follows the held output. */
  get hasEnded(): boolean {
    return this.ended
  }

  /** Returns the held output without waiting for more. */
  takeBuffered(): Buffer {
    const held = Buffer.concat(this.held.splice(0))
    this.release(held.length)
    return held
  }

  /** Closes the source. */
  close(): void {
    clearTimeout(this.timer)
    this.source.destroy()
  }

  private take(piece: Buffer): void {
    this.held.push(piece)
    this.bytes += piece.length
    if (this.bytes >= this.limit) this.pause()
    this.wake()
  }

  private release(length: number): void {
    this.bytes -= length
    if (this.bytes > this.limits.high / 2 || !this.source.isPaused()) return
    this.limit = this.limits.high
    clearTimeout(this.timer)
    this.source.resume()
  }

  private pause(): void {
    this.source.pause()
    clearTimeout(this.timer)
    if (this.bytes >= this.limits.most) return
    this.timer = setTimeout(() => {
      this.limit = this.bytes + this.limits.trickle
      this.source.resume()
    }, this.limits.everyMs)
  }

  private finish(): void {
    clearTimeout(this.timer)
    this.ended = true
    this.wake()
  }
}
