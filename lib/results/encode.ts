import type { OutputStream } from '../contract/printed-output'
import type { MetricRecord } from '../contract/records'
import { type EncodedText, maxPiece, RecordWriter } from './record-writer'
import { holdJsonMs, StreamPlace } from './stream-place'
import { incompleteTail } from './utf8'

/** All a new process needs to go on where another one stopped. */
export interface EncoderState {
  /** Raw bytes of each stream whose records were given out. */
  consumed: { stdout: number; stderr: number }
  /** Bytes of records given out: what the output limit counts. Equal to the limit once it was reached. */
  encodedBytes: number
}

interface EncoderOptions {
  /** Most bytes of records this task may make. */
  limitBytes: number
  /** Which task of a job over several nodes; left out when there is one. */
  rank?: number
  /** The stored state of an earlier process. Feed the output from its first byte: what was stored is skipped. */
  resume?: EncoderState
  /** Somebody may sit before it: no beginning of a line is held back. */
  terminal?: boolean
}

/** Finished JSONL records, ready to be stored. */
export interface EncodedOutput {
  bytes: Buffer
  records: number
  results: number
}

const lineFeed = 0x0a

/**
 * Turns what a task prints into records; one encoder per task. Feed the raw bytes as they come; call `flush`
 * every 50 ms or so, so that half lines and progress bars show; call `end` once when both streams have ended.
 * Store `state` in the same transaction as the bytes: then a restart loses nothing and repeats nothing.
 */
export class OutputEncoder {
  readonly #limitBytes: number
  readonly #rank: number | undefined
  readonly #places: Record<OutputStream, StreamPlace>
  #encodedBytes: number
  #replaced = 0
  #parts: Buffer[] = []
  #records = 0
  #results = 0

  constructor({ limitBytes, rank, resume, terminal = false }: EncoderOptions) {
    this.#limitBytes = limitBytes
    this.#rank = rank
    this.#encodedBytes = resume?.encodedBytes ?? 0
    this.#places = {
      stdout: new StreamPlace('stdout', resume?.consumed.stdout ?? 0, terminal ? 0 : holdJsonMs),
      stderr: new StreamPlace('stderr', resume?.consumed.stderr ?? 0),
    }
  }

  get state(): EncoderState {
    const { stdout, stderr } = this.#places
    return {
      consumed: { stdout: stdout.consumed, stderr: stderr.consumed },
      encodedBytes: this.#encodedBytes,
    }
  }

  /** True once the output limit is used up: nothing is recorded from there on. */
  get limitReached(): boolean {
    return this.#encodedBytes >= this.#limitBytes
  }

  /** True while half a line waits that a later `flush` will give out. A character that is not whole waits for `feed`. */
  get holdsOutput(): boolean {
    return Object.values(this.#places).some(({ pending }) => pending.length > incompleteTail(pending.view))
  }

  /** Raw bytes dropped for the output limit. */
  get droppedBytes(): number {
    return this.limitReached ? this.#places.stdout.unrecorded + this.#places.stderr.unrecorded : 0
  }

  /** Raw bytes that were not UTF-8 and were replaced, counted since this encoder was made. */
  get replacedBytes(): number {
    return this.#replaced
  }

  /** What is fed next of this stream was never recorded, even where an earlier process recorded more than came yet. */
  skipNoMore(stream: OutputStream): void {
    this.#places[stream].skipNoMore()
  }

  /** Takes raw bytes of one stream and gives the records that they finish. */
  feed(stream: OutputStream, bytes: Buffer, at: Date): EncodedOutput {
    const place = this.#places[stream]
    let fresh = place.receive(bytes)
    const lastEnd = fresh.lastIndexOf(lineFeed) + 1
    if (lastEnd > 0 && (place.pending.length > 0 || place.midLine)) {
      const firstEnd = fresh.indexOf(lineFeed) + 1
      place.pending.append(fresh.subarray(0, firstEnd))
      this.#recordLines(place, place.pending.view, at)
      place.pending.drop(place.pending.length)
      fresh = fresh.subarray(firstEnd)
    }
    const linesEnd = fresh.lastIndexOf(lineFeed) + 1
    if (linesEnd > 0) this.#recordLines(place, fresh.subarray(0, linesEnd), at)
    if (!this.limitReached) place.keep(fresh.subarray(linesEnd), at)
    if (place.pending.length >= maxPiece) this.#recordPiece(place, at)
    return this.#take()
  }

  /** Gives out the half lines that wait, but for a line that may become a result within a second. */
  flush(at: Date): EncodedOutput {
    this.#recordPiece(this.#places.stdout, at)
    this.#recordPiece(this.#places.stderr, at)
    return this.#take()
  }

  /** Gives out all that is left, and the record of what was dropped. Call it once, when both streams ended. */
  end(at: Date): EncodedOutput {
    this.#recordLastLine(this.#places.stdout, at)
    this.#recordLastLine(this.#places.stderr, at)
    if (this.droppedBytes > 0) this.#recordTruncation(at)
    return this.#take()
  }

  #writer(place: StreamPlace, at: Date): RecordWriter {
    return new RecordWriter(place.stream, at.toISOString(), this.#rank)
  }

  /** Records whole lines, the first of which may have begun in an earlier record. */
  #recordLines(place: StreamPlace, lines: Buffer, at: Date): void {
    const goesOn = place.midLine
    place.midLine = false
    if (this.#commit(place, lines.length, this.#writer(place, at).lines(lines, goesOn))) return
    // Together they are over the limit: take them one at a time, as many as fit.
    let start = 0
    while (start < lines.length && !this.limitReached) {
      const end = lines.indexOf(lineFeed, start) + 1
      const line = lines.subarray(start, end)
      const encoded = this.#writer(place, at).lines(line, goesOn && start === 0)
      if (!this.#commit(place, line.length, encoded)) this.#encodedBytes = this.#limitBytes
      start = end
    }
  }

  /** Records the half line that waits, short of a character that is not whole yet. */
  #recordPiece(place: StreamPlace, at: Date): void {
    if (place.pending.length === 0 || place.mayBecomeResult(at)) return
    const waiting = place.pending.view
    const piece = waiting.subarray(0, waiting.length - incompleteTail(waiting))
    if (piece.length === 0) return
    this.#commitOrStop(place, piece.length, this.#writer(place, at).piece(piece))
    place.midLine = true
    place.pending.drop(piece.length)
  }

  #recordLastLine(place: StreamPlace, at: Date): void {
    const waiting = place.pending.view
    if (waiting.length === 0) return
    const writer = this.#writer(place, at)
    this.#commitOrStop(
      place,
      waiting.length,
      place.midLine ? writer.piece(waiting) : writer.lastLine(waiting),
    )
    place.pending.drop(waiting.length)
  }

  #recordTruncation(at: Date): void {
    const record = {
      type: 'truncated',
      t: at.toISOString(),
      limit_bytes: this.#limitBytes,
      dropped_bytes: this.droppedBytes,
      rank: this.#rank,
    }
    this.#parts.push(Buffer.from(`${JSON.stringify(record)}\n`))
    this.#records++
  }

  #commitOrStop(place: StreamPlace, rawBytes: number, encoded: EncodedText): void {
    if (!this.#commit(place, rawBytes, encoded)) this.#encodedBytes = this.#limitBytes
  }

  /** Gives records out if the limit allows all of them. */
  #commit(place: StreamPlace, rawBytes: number, encoded: EncodedText): boolean {
    if (this.limitReached) return false
    const bytes = Buffer.from(encoded.text)
    if (this.#encodedBytes + bytes.length > this.#limitBytes) return false
    this.#encodedBytes += bytes.length
    place.consumed += rawBytes
    this.#parts.push(bytes)
    this.#records += encoded.records
    this.#results += encoded.results
    this.#replaced += encoded.replaced
    return true
  }

  #take(): EncodedOutput {
    const [only] = this.#parts
    const bytes = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts)
    const output = { bytes, records: this.#records, results: this.#results }
    this.#parts = []
    this.#records = 0
    this.#results = 0
    return output
  }
}

/** A finished record of how a task's GPUs were used at one moment. `type` comes first: readers tell lines by it. */
export function encodeMetric(gpus: MetricRecord['gpus'], at: Date, rank?: number): Buffer {
  return Buffer.from(`${JSON.stringify({ type: 'metric', t: at.toISOString(), gpus, rank })}\n`)
}

/** A finished record of what gpuq itself has to say in a job's output: among its errors, and marked as gpuq's own. */
export function encodeNote(text: string, at: Date, rank?: number): Buffer {
  return Buffer.from(
    `${JSON.stringify({ type: 'stderr', t: at.toISOString(), text: `gpuq: ${text}`, rank })}\n`,
  )
}
