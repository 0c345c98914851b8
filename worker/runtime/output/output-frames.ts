import type { OutputChunk } from '../runtime'

/** The engine's multiplexed format: one byte for the stream, three for padding, four for the length, then the data. */
const headerLength = 8

/** Length of `2026-11-20T23:49:32.846415297Z `, which precedes every log entry when timestamps are requested. */
const stampLength = 31

const newline = 0x0a
const nothing = Buffer.alloc(0)

type Stream = OutputChunk['stream']
type Append = (piece: Buffer) => void

/** The last log entry of a stream. */
interface Last {
  stamp: string
  endsLine: boolean
  /** Number of entries so far with its timestamp. */
  entries: number
}
const before: Last = { stamp: '', endsLine: true, entries: 0 }

/**
 * Demultiplexes the engine's output, for any chunking. Returns bytes as they arrive, so that a huge frame never has
 * to fit into memory. With `fromLog`, reads the log with timestamps and restores what older engines lose: they split
 * lines over 16 KiB into entries with one timestamp, and drop the newline after the last one. If the timestamp
 * changes after an entry without a newline, a newline is missing; an empty entry is just that newline.
 */
export class FrameReader {
  private part: 'header' | 'stamp' | 'body' | 'repeated' = 'header'
  private collected = nothing
  private stream: Stream = 'stdout'
  private remaining = 0
  private readonly last: Record<Stream, Last> = { stdout: { ...before }, stderr: { ...before } }
  /** The part of the repeated log that has not been skipped yet. */
  private repeats: Record<Stream, { stamp: string; entries: number }> | null = null

  constructor(private readonly options: { fromLog: boolean }) {}

  /** True within a frame: output that ends there was cut. */
  get midFrame(): boolean {
    return this.part !== 'header' || this.collected.length > 0
  }

  /** The timestamp of the latest log entry in milliseconds; null before the first. */
  get latestMs(): number | null {
    const times = Object.values(this.last).flatMap(({ stamp }) =>
      stamp === '' ? [] : [Date.parse(stamp.trimEnd())],
    )
    return times.length === 0 ? null : Math.max(...times)
  }

  /** The log is read again from an earlier entry; the repetition is skipped. */
  restartLog(): void {
    const { stdout, stderr } = this.last
    this.repeats = { stdout: { ...stdout }, stderr: { ...stderr } }
    this.part = 'header'
    this.collected = nothing
  }

  /** Returns the output in the next bytes, with adjacent frames of one stream joined. */
  push(bytes: Buffer): OutputChunk[] {
    const runs: { stream: Stream; pieces: Buffer[] }[] = []
    const append = (piece: Buffer) => {
      const run = runs.at(-1)
      if (run?.stream === this.stream) run.pieces.push(piece)
      else runs.push({ stream: this.stream, pieces: [piece] })
    }
    let offset = 0
    while (offset < bytes.length) {
      const piece = bytes.subarray(offset, offset + this.missing())
      offset += piece.length
      this.take(piece, append)
    }
    return runs.map(({ stream, pieces: [first = nothing, ...rest] }) => ({
      stream,
      // Most groups are one frame, which needs no copy.
      bytes: rest.length === 0 ? first : Buffer.concat([first, ...rest]),
    }))
  }

  private missing(): number {
    if (this.part === 'body' || this.part === 'repeated') return this.remaining
    return (this.part === 'header' ? headerLength : stampLength) - this.collected.length
  }

  private take(piece: Buffer, append: Append): void {
    if (this.part === 'body' || this.part === 'repeated') {
      this.remaining -= piece.length
      if (this.part === 'body') {
        append(piece)
        this.last[this.stream].endsLine = piece.at(-1) === newline
      }
      if (this.remaining === 0) this.part = 'header'
      return
    }
    this.collected = Buffer.concat([this.collected, piece])
    if (this.missing() > 0) return
    if (this.part === 'header') this.readHeader(this.collected)
    else this.readStamp(this.collected.toString('latin1'), append)
    this.collected = nothing
  }

  private readHeader(header: Buffer): void {
    this.stream = header[0] === 2 ? 'stderr' : 'stdout'
    this.remaining = header.readUInt32BE(4)
    if (this.remaining > 0) this.part = this.options.fromLog ? 'stamp' : 'body'
  }

  private readStamp(stamp: string, append: Append): void {
    const last = this.last[this.stream]
    this.remaining -= stampLength
    const empty = this.remaining === 0
    if (this.isRepeated(stamp)) {
      this.part = empty ? 'header' : 'repeated'
      return
    }
    if (!last.endsLine && (empty || stamp !== last.stamp)) append(Buffer.from('\n'))
    const entries = stamp === last.stamp ? last.entries + 1 : 1
    this.last[this.stream] = { stamp, endsLine: empty, entries }
    this.part = empty ? 'header' : 'body'
  }

  private isRepeated(stamp: string): boolean {
    const repeats = this.repeats?.[this.stream]
    if (!repeats || stamp > repeats.stamp) return false
    if (stamp < repeats.stamp) return true
    repeats.entries -= 1
    return repeats.entries >= 0
  }
}
