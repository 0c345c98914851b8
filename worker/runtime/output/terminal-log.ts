/** Length of `2026-11-20T23:49:32.846415297Z `, which precedes every log entry when timestamps are requested. */
const stampLength = 31
const stamp = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z /g
/** A longer line is split into entries of this size with one timestamp. */
const pieceLength = 16 * 1024
const newline = 0x0a

/** A log entry, or a part of one that is still arriving. */
export interface LogPiece {
  bytes: Buffer
  /** When the engine recorded the line, in milliseconds. */
  at: number
}

/**
 * Parses the engine's log of a container with a terminal: unframed entries of a timestamp and a line. Restores the
 * newline that older engines lose after the last entry of a long line; there, the next timestamp appears inside the
 * apparent line.
 */
export class TerminalLog {
  #waiting: Buffer = Buffer.alloc(0)
  #line = ''

  /** Returns the output that the next bytes complete. */
  push(bytes: Buffer): LogPiece[] {
    this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes])
    const pieces: LogPiece[] = []
    for (let piece = this.#take(false); piece; piece = this.#take(false)) pieces.push(piece)
    return pieces
  }

  /** Returns the end of the log, which has no newline. */
  end(): LogPiece[] {
    const pieces: LogPiece[] = []
    for (let piece = this.#take(true); piece; piece = this.#take(true)) pieces.push(piece)
    return pieces
  }

  /** Returns the first pending entry, if its end is known. */
  #take(isLast: boolean): LogPiece | null {
    const waiting = this.#waiting
    if (waiting.length < stampLength) return null
    const time = waiting.toString('latin1', 0, stampLength)
    const continues = time === this.#line
    const body = waiting.subarray(stampLength, stampLength + pieceLength + stampLength)
    const lost = continues ? findStamp(body, time) : -1
    const end = body.subarray(0, pieceLength).indexOf(newline)
    if (lost !== -1 && (end === -1 || lost < end)) return this.#give(lost, time, true)
    if (end !== -1) return this.#give(end + 1, time, false)
    // The timestamp of the next entry shows whether the piece is complete or the line ended there.
    if (body.length >= pieceLength + stampLength) return this.#give(pieceLength, time, false)
    if (!isLast) return null
    return body.length > 0 || continues ? this.#give(body.length, time, body.length === 0) : null
  }

  #give(length: number, time: string, lostNewline: boolean): LogPiece {
    const bytes = this.#waiting.subarray(stampLength, stampLength + length)
    this.#waiting = this.#waiting.subarray(stampLength + length)
    this.#line = bytes.at(-1) === newline || lostNewline ? '' : time
    return {
      bytes: lostNewline ? Buffer.concat([bytes, Buffer.from('\n')]) : bytes,
      at: Date.parse(time.trimEnd()),
    }
  }
}

/** Finds the next entry within what follows a piece of a long line. */
function findStamp(body: Buffer, time: string): number {
  const text = body.toString('latin1')
  for (const match of text.matchAll(stamp)) if (match[0] !== time) return match.index
  return -1
}
