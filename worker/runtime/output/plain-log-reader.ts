import type { OutputChunk } from '../runtime'
import { FrameReader } from './output-frames'

type Stream = OutputChunk['stream']

/**
 * Reads a log that is exactly what the container wrote, without times. With a terminal it has no frames either. After
 * {@link restartLog}, the log comes again from its first byte, and what was returned before is skipped.
 */
export class PlainLogReader {
  /** The log has no times, so it can only be read again from its start. */
  readonly latestMs = null
  private frames = new FrameReader({ fromLog: false })
  private readonly returned: Record<Stream, number> = { stdout: 0, stderr: 0 }
  private repeated: Record<Stream, number> = { stdout: 0, stderr: 0 }

  constructor(private readonly options: { tty: boolean }) {}

  get midFrame(): boolean {
    return this.frames.midFrame
  }

  restartLog(): void {
    this.frames = new FrameReader({ fromLog: false })
    this.repeated = { ...this.returned }
  }

  /** Returns the new output in the next bytes. */
  push(bytes: Buffer): OutputChunk[] {
    const chunks: OutputChunk[] = this.options.tty ? [{ stream: 'stdout', bytes }] : this.frames.push(bytes)
    return chunks.flatMap((chunk) => {
      const skipped = Math.min(this.repeated[chunk.stream], chunk.bytes.length)
      this.repeated[chunk.stream] -= skipped
      this.returned[chunk.stream] += chunk.bytes.length - skipped
      return skipped === chunk.bytes.length ? [] : [{ ...chunk, bytes: chunk.bytes.subarray(skipped) }]
    })
  }
}
