import type { Readable } from 'node:stream'

const MiB = 1024 * 1024

interface QueueLimits {
  /** Bytes held unread before the source is made to wait. */
  high: number
  /** Bytes let in after every `everyMs` of a wait, until `most` are held. */
  trickle: number
  everyMs: number
  most: number
}

const defaults: QueueLimits = { high: MiB, trickle: MiB / 8, everyMs: 250, most: 32 * MiB }

/**
 * Reads a container's output into a queue of limited size, and makes the container wait when nobody takes from it.
 *
 * Waiting must not be complete. When a container ends, the engine gives readers two seconds to take what is still in
 * its pipes (about 200 KB a stream) and throws the rest away, from its log too: of 1.4 MB printed while the reader
 * stood still for six seconds, 97 KB were gone. So a source that waits is still read at 512 KiB a second. A stall has
 * to last a minute, longer than a node that has lost its database may go on, before `most` is reached.
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

  /** Yields what was read, in order. Throws the source's error after everything that came before it. */
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

  /** True when nothing more will come than what is held. */
  get hasEnded(): boolean {
    return this.ended
  }

  /** What is held at this moment, without waiting for more. */
  takeHeld(): Buffer {
    const held = Buffer.concat(this.held.splice(0))
    this.release(held.length)
    return held
  }

  /** Lets go of the source. */
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
