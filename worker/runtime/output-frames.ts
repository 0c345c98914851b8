import type { OutputChunk } from './runtime'

/** The engine's multiplexed form: one byte of stream, three of padding, four of length, then the bytes. */
const headerLength = 8

/** The engine's log cuts longer lines into entries of exactly this size. */
const logEntryLength = 16_384

const newline = 0x0a

type Stream = OutputChunk['stream']

/**
 * Takes the engine's multiplexed output apart, in whatever pieces it arrives. Bytes are handed on as they come, so
 * that a huge frame never has to fit in memory.
 *
 * With `fromLog` it also puts back a byte that Docker's `local` log loses in older engines: the newline of a line
 * over 16 KiB. An entry that is shorter than a cut one, has no newline and is not the stream's last, lost one.
 */
export class FrameReader {
  private header = Buffer.alloc(0)
  private stream: Stream = 'stdout'
  private length = 0
  private remaining = 0
  private readonly lostNewline = { stdout: false, stderr: false }

  constructor(private readonly options: { fromLog: boolean }) {}

  /** True between the first byte of a frame and its last: output that ends there was cut. */
  get midFrame(): boolean {
    return this.remaining > 0 || this.header.length > 0
  }

  /** The output in the next piece of the connection, neighbouring frames of one stream joined. */
  push(bytes: Buffer): OutputChunk[] {
    const runs: { stream: Stream; pieces: Buffer[] }[] = []
    const append = (piece: Buffer) => {
      const run = runs.at(-1)
      if (run?.stream === this.stream) run.pieces.push(piece)
      else runs.push({ stream: this.stream, pieces: [piece] })
    }
    let offset = 0
    while (offset < bytes.length) {
      const inHeader = this.remaining === 0
      const missing = inHeader ? headerLength - this.header.length : this.remaining
      const piece = bytes.subarray(offset, offset + missing)
      offset += piece.length
      if (inHeader) this.readHeader(piece, append)
      else this.readBody(piece, append)
    }
    return runs.map(({ stream, pieces: [first = Buffer.alloc(0), ...rest] }) => ({
      stream,
      // Most runs are one frame: no copy is made of it.
      bytes: rest.length === 0 ? first : Buffer.concat([first, ...rest]),
    }))
  }

  private readHeader(piece: Buffer, append: (piece: Buffer) => void): void {
    this.header = Buffer.concat([this.header, piece])
    if (this.header.length < headerLength) return
    this.stream = this.header[0] === 2 ? 'stderr' : 'stdout'
    this.length = this.header.readUInt32BE(4)
    this.remaining = this.length
    this.header = Buffer.alloc(0)
    if (this.lostNewline[this.stream]) append(Buffer.from('\n'))
    this.lostNewline[this.stream] = this.options.fromLog && this.length === 0
  }

  private readBody(piece: Buffer, append: (piece: Buffer) => void): void {
    append(piece)
    this.remaining -= piece.length
    if (this.remaining > 0) return
    const endsLine = piece.at(-1) === newline
    this.lostNewline[this.stream] = this.options.fromLog && !endsLine && this.length < logEntryLength
  }
}
