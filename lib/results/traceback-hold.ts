import type { OutputStream } from '../contract/output/printed-output'

/** Bytes of a stream, in the order in which they are recorded. */
export interface OutputPiece {
  stream: OutputStream
  bytes: Buffer
}

/** A traceback and what its stream printed after it. */
interface Held {
  stream: OutputStream
  pieces: Buffer[]
  bytes: number
  since: Date
  latest: Date
}

/** How long a traceback waits at most, from its first line. */
export const maxHoldMs = 200
/**
 * How long a complete traceback waits for the other stream. On a node with ten times as many busy programs as cores, stdout came
 * up to 81 ms after a stderr that was written later; with four times as many, 0.3 ms.
 */
export const quietMs = 100
/** More than this does not wait: memory stays bounded. */
const maxHeldBytes = 1 << 20
/** How much of an unfinished line is searched together with its rest. */
const maxLineStart = 200

/**
 * The last characters of the first line of a traceback, in a text of one byte per character. Python writes many kinds:
 * `Traceback (most recent call last):`, `  + Exception Group Traceback …`, `Current thread 0x… (most recent call first):`.
 */
const headerEnd = /\(most recent call (?:last|first)\):$/m
/** First lines that have no such end, or stand before it. */
const title =
  /^(?:Exception in thread |Exception ignored in|Fatal Python error: |Process \w*(?:Process|PoolWorker)-[\d:]+:$|(?:Current t|T)hread 0x[\da-f]* ?$| {0,40}File "[^"\n]{1,4096}", line \d+$)/m

/** One of them is in each of these lines. Looking for them is ten times as fast. */
const words = ['recent call', 'Exception i', 'Fatal Python', 'Process ', 'hread 0x', 'File "']

/**
 * Keeps tracebacks in one piece, and behind what the program flushed before them. A container has a pipe for each stream, and no
 * clock in common: what a program prints to stdout before an exception may arrive within or after its traceback on stderr.
 * So a traceback waits, while the other stream passes it. Within a stream nothing changes its place. Feed what arrives to `push`,
 * call `release` every 50 ms while `isHolding`, and call `end` once.
 */
export class TracebackHold {
  #held: Held | null = null
  /** The beginning of the unfinished line of each stream. */
  readonly #lines: Record<OutputStream, string> = { stdout: '', stderr: '' }

  /** Whether a traceback waits. */
  get isHolding(): boolean {
    return this.#held !== null
  }

  /** Takes bytes of one stream, and returns what need not wait. */
  push(stream: OutputStream, bytes: Buffer, at: Date): OutputPiece[] {
    if (bytes.length === 0) return []
    const opening = this.#findOpening(stream, bytes)
    const held = this.#held
    if (held?.stream === stream) return this.#continue(held, bytes, opening, at)
    // The traceback of stderr comes last: a program that shows one on stdout has flushed it before.
    if (opening === null || (held !== null && stream === 'stdout')) return [{ stream, bytes }]
    return [...this.end(), ...this.#hold(stream, bytes, opening, at)]
  }

  /** Returns the traceback if it has waited long enough. */
  release(at: Date): OutputPiece[] {
    if (this.#held === null) return []
    const { since, latest, pieces } = this.#held
    const isQuiet = at.getTime() - latest.getTime() >= quietMs && isComplete(Buffer.concat(pieces))
    return isQuiet || at.getTime() - since.getTime() >= maxHoldMs ? this.end() : []
  }

  /** Returns what waits, because nothing more can arrive that belongs before it. */
  end(): OutputPiece[] {
    const held = this.#held
    this.#held = null
    return held === null ? [] : [{ stream: held.stream, bytes: Buffer.concat(held.pieces) }]
  }

  /** Adds bytes to what waits. A further traceback waits for itself if it is not part of the same chain of exceptions. */
  #continue(held: Held, bytes: Buffer, opening: number | null, at: Date): OutputPiece[] {
    if (opening !== null && at.getTime() - held.since.getTime() >= quietMs)
      return [...this.end(), ...this.#hold(held.stream, bytes, opening, at)]
    held.pieces.push(bytes)
    held.bytes += bytes.length
    held.latest = at
    return held.bytes > maxHeldBytes ? this.end() : []
  }

  #hold(stream: OutputStream, bytes: Buffer, opening: number, at: Date): OutputPiece[] {
    const held = bytes.subarray(opening)
    this.#held = { stream, pieces: [held], bytes: held.length, since: at, latest: at }
    return opening === 0 ? [] : [{ stream, bytes: bytes.subarray(0, opening) }]
  }

  /** Returns where the first line of a traceback begins; null: there is none. */
  #findOpening(stream: OutputStream, bytes: Buffer): number | null {
    const start = this.#lines[stream]
    const text = start + bytes.toString('latin1')
    this.#lines[stream] = text.slice(text.lastIndexOf('\n') + 1).slice(-maxLineStart)
    if (!words.some((word) => text.includes(word))) return null
    const places = [text.search(headerEnd), text.search(title)].filter((index) => index >= 0)
    if (places.length === 0) return null
    const place = Math.min(...places)
    return Math.max(0, text.lastIndexOf('\n', place - 1) + 1 - start.length)
  }
}

/** Whether the last line is complete and may be the last one of a traceback, whose other lines are indented. */
function isComplete(output: Buffer): boolean {
  const text = output.toString('latin1')
  const last = text.slice(text.lastIndexOf('\n', text.length - 2) + 1)
  return last.endsWith('\n') && !/^\s/.test(last) && last.search(headerEnd) < 0 && last.search(title) < 0
}
