/** `2026-11-20T23:49:32.846415297Z `, which the engine puts before every entry of its log when asked for times. */
const stampLength = 31
const stamp = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z /g
/** A longer line becomes several entries of this size, under one time. */
const pieceLength = 16 * 1024
const newline = 0x0a

/** An entry of the log, or a part of one that is still arriving. */
export interface LogPiece {
  bytes: Buffer
  /** When the engine wrote the line down, in milliseconds. */
  at: number
}

/**
 * Reads the engine's log of a container with a terminal, with times: entries without frames around them, each its time
 * and a line. Puts back the newline that older engines lose after the last entry of a long line: there, the next entry's
 * time stands in the middle of what looks like the line.
 */
export class TerminalLog {
  #waiting: Buffer = Buffer.alloc(0)
  #line = ''

  /** The output that was completed by the next bytes of the log. */
  push(bytes: Buffer): LogPiece[] {
    this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes])
    const pieces: LogPiece[] = []
    for (let piece = this.#take(false); piece; piece = this.#take(false)) pieces.push(piece)
    return pieces
  }

  /** What the log ends with, where no newline says so. */
  end(): LogPiece[] {
    const pieces: LogPiece[] = []
    for (let piece = this.#take(true); piece; piece = this.#take(true)) pieces.push(piece)
    return pieces
  }

  /** The first entry that waits, if its end is known. */
  #take(isLast: boolean): LogPiece | null {
    const waiting = this.#waiting
    if (waiting.length < stampLength) return null
    const time = waiting.toString('latin1', 0, stampLength)
    const goesOn = time === this.#line
    const body = waiting.subarray(stampLength, stampLength + pieceLength + stampLength)
    const lost = goesOn ? findStamp(body, time) : -1
    const end = body.subarray(0, pieceLength).indexOf(newline)
    if (lost !== -1 && (end === -1 || lost < end)) return this.#give(lost, time, true)
    if (end !== -1) return this.#give(end + 1, time, false)
    // The time of the entry after it tells whether the piece is whole, or the line ended just there.
    if (body.length >= pieceLength + stampLength) return this.#give(pieceLength, time, false)
    if (!isLast) return null
    return body.length > 0 || goesOn ? this.#give(body.length, time, body.length === 0) : null
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

/** Where another entry begins within what follows a piece of a long line. */
function findStamp(body: Buffer, time: string): number {
  const text = body.toString('latin1')
  for (const match of text.matchAll(stamp)) if (match[0] !== time) return match.index
  return -1
}
