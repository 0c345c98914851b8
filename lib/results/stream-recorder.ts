import type { OutputStream } from '../contract/output/printed-output'
import { largeLineBytes, maxResultBytes, maxRewrittenBytes } from './json-text'
import { LastMetrics, type StoredMetrics } from './metrics'
import { encodeNote } from './notes'
import { type EncodedText, maxRecordText, RecordWriter } from './record-writer'
import { longLineBytesPerSecond, maxJsonHoldMs, StreamState } from './stream-state'
import { incompleteTail } from './utf8'

/** Everything a new process needs to continue an encoder. */
export interface EncoderState {
  /** Raw bytes of each stream whose records were returned. */
  consumed: { stdout: number; stderr: number }
  /** Bytes of returned records, which the output limit counts. Equal to the limit once it is reached. */
  encodedBytes: number
}

export interface EncoderOptions {
  /** Maximum bytes of records for this task. */
  limitBytes: number
  /** The task's rank in a multi-node job; undefined for a single task. */
  rank?: number
  /** The stored state of an earlier process. Feed the output from its first byte; stored output is skipped. */
  resume?: EncoderState
  /** The metrics that an earlier process found in the stored output. */
  metrics?: StoredMetrics
  /** Whether the job has a terminal: then the start of a line is never delayed. */
  terminal?: boolean
}

/** Complete JSONL records, ready for storage. */
export interface EncodedOutput {
  bytes: Buffer
  records: number
  results: number
}

const lineFeed = 0x0a
const missedResult =
  `A long line of JSON on stdout is not a result, because it is longer than ${maxResultBytes >> 20} MiB or arrived ` +
  `slower than ${longLineBytesPerSecond >> 10} KiB per second. It is stored as text. Write it to a file in /results instead.`

const missedRewritten =
  `A line of JSON on stdout is not a result, because it has NaN, Infinity or an unusual end of a line, and is longer than ` +
  `${maxRewrittenBytes >> 10} KiB. It is stored as text. Write null instead, or write it to a file in /results.`

/** Converts the bytes of both streams to records, and counts them against the output limit. */
export class StreamRecorder {
  readonly streams: Record<OutputStream, StreamState>
  readonly metrics: LastMetrics
  readonly #limitBytes: number
  readonly #rank: number | undefined
  #encodedBytes: number
  #replaced = 0
  #parts: Buffer[] = []
  #records = 0
  #results = 0

  constructor({ limitBytes, rank, resume, metrics, terminal = false }: EncoderOptions) {
    this.metrics = new LastMetrics(metrics)
    this.#limitBytes = limitBytes
    this.#rank = rank
    this.#encodedBytes = resume?.encodedBytes ?? 0
    this.streams = {
      stdout: new StreamState('stdout', resume?.consumed.stdout ?? 0, terminal ? 0 : maxJsonHoldMs),
      stderr: new StreamState('stderr', resume?.consumed.stderr ?? 0),
    }
  }

  get encodedBytes(): number {
    return this.#encodedBytes
  }

  /** True once the output limit is used up; nothing is recorded afterwards. */
  get limitReached(): boolean {
    return this.#encodedBytes >= this.#limitBytes
  }

  /** Raw bytes dropped because of the output limit. */
  get droppedBytes(): number {
    return this.limitReached ? this.streams.stdout.unrecorded + this.streams.stderr.unrecorded : 0
  }

  /** Raw bytes replaced because they were not UTF-8. */
  get replacedBytes(): number {
    return this.#replaced
  }

  /** Records the complete lines, and keeps the start of an unfinished one. */
  record(stream: OutputStream, bytes: Buffer, at: Date): void {
    const place = this.streams[stream]
    let fresh = bytes
    const lastEnd = fresh.lastIndexOf(lineFeed) + 1
    if (lastEnd > 0 && (place.pending.length > 0 || place.midLine)) {
      const firstEnd = fresh.indexOf(lineFeed) + 1
      place.pending.append(fresh.subarray(0, firstEnd))
      const missed = place.isMissedResult(at)
      if (place.isLargeResult()) this.#recordLargeResult(place, at)
      else this.#recordLines(place, place.pending.view, at)
      place.pending.drop(place.pending.length)
      if (missed) this.#recordNote(missedResult, at)
      fresh = fresh.subarray(firstEnd)
    }
    const linesEnd = fresh.lastIndexOf(lineFeed) + 1
    if (linesEnd > 0) this.#recordLines(place, fresh.subarray(0, linesEnd), at)
    if (!this.limitReached) place.keep(fresh.subarray(linesEnd), at)
    if (place.pending.length >= maxRecordText) this.recordPiece(stream, at)
  }

  /** Records the pending partial line, without an incomplete character at its end. */
  recordPiece(stream: OutputStream, at: Date): void {
    const place = this.streams[stream]
    if (place.pending.length === 0 || place.mayBecomeResult(at)) return
    const missed = place.isMissedResult(at)
    while (this.#recordPart(place, at));
    if (missed) this.#recordNote(missedResult, at)
  }

  /** Records at most {@link largeLineBytes}. Returns false if nothing is left. */
  #recordPart(place: StreamState, at: Date): boolean {
    const waiting = place.pending.view.subarray(0, largeLineBytes)
    const piece = waiting.subarray(0, waiting.length - incompleteTail(waiting))
    if (piece.length === 0) return false
    this.#commitOrStop(place, piece.length, this.#writer(place, at).piece(piece), at)
    place.midLine = true
    place.pending.drop(piece.length)
    return true
  }

  /** Records the last line of a stream that has ended. */
  recordLastLine(stream: OutputStream, at: Date): void {
    const place = this.streams[stream]
    const waiting = place.pending.view
    if (waiting.length === 0) return
    if (place.isLargeResult()) {
      this.#recordLargeResult(place, at)
      place.pending.drop(place.pending.length)
      return
    }
    const writer = this.#writer(place, at)
    this.#commitOrStop(
      place,
      waiting.length,
      place.midLine ? writer.piece(waiting) : writer.lastLine(waiting),
      at,
    )
    place.pending.drop(waiting.length)
  }

  /** Records how much the output limit dropped. */
  recordTruncation(at: Date): void {
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

  /** Returns the records since the last call. */
  take(): EncodedOutput {
    const [only] = this.#parts
    const bytes = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts)
    const output = { bytes, records: this.#records, results: this.#results }
    this.#parts = []
    this.#records = 0
    this.#results = 0
    return output
  }

  #writer(place: StreamState, at: Date): RecordWriter {
    return new RecordWriter(place.stream, at.toISOString(), this.#rank)
  }

  /** Records complete lines, the first of which may have started in an earlier record. */
  #recordLines(place: StreamState, lines: Buffer, at: Date): void {
    const continues = place.midLine
    place.midLine = false
    if (this.#commit(place, lines.length, this.#writer(place, at).lines(lines, continues), at)) return
    // Together they exceed the limit: record line by line until one does not fit.
    let start = 0
    while (start < lines.length && !this.limitReached) {
      const end = lines.indexOf(lineFeed, start) + 1
      const line = lines.subarray(start, end)
      const encoded = this.#writer(place, at).lines(line, continues && start === 0)
      if (!this.#commit(place, line.length, encoded, at)) this.#encodedBytes = this.#limitBytes
      start = end
    }
  }

  #recordLargeResult(place: StreamState, at: Date): void {
    const line = place.pending.view
    const parts = this.#writer(place, at).largeResult(line)
    const counts = { records: 1, results: 1, replaced: 0 }
    if (!this.#commitParts(place, line.length, parts, counts)) this.#encodedBytes = this.#limitBytes
  }

  /** A message of gpuq does not count against the limit. */
  #recordNote(text: string, at: Date): void {
    if (this.limitReached) return
    this.#parts.push(encodeNote(text, at, this.#rank))
    this.#records++
  }

  #commitOrStop(place: StreamState, rawBytes: number, encoded: EncodedText, at: Date): void {
    if (!this.#commit(place, rawBytes, encoded, at)) this.#encodedBytes = this.#limitBytes
  }

  /** Returns the records if the limit allows all of them. */
  #commit(place: StreamState, rawBytes: number, encoded: EncodedText, at: Date): boolean {
    if (!this.#commitParts(place, rawBytes, [Buffer.from(encoded.text)], encoded)) return false
    for (const [name, number] of encoded.metrics) this.metrics.set(name, number)
    if (encoded.missed > 0) this.#recordNote(missedRewritten, at)
    return true
  }

  #commitParts(
    place: StreamState,
    rawBytes: number,
    parts: readonly Buffer[],
    encoded: Pick<EncodedText, 'records' | 'results' | 'replaced'>,
  ): boolean {
    const bytes = parts.reduce((sum, { length }) => sum + length, 0)
    if (this.limitReached || this.#encodedBytes + bytes > this.#limitBytes) return false
    this.#encodedBytes += bytes
    place.consumed += rawBytes
    this.#parts.push(...parts)
    this.#records += encoded.records
    this.#results += encoded.results
    this.#replaced += encoded.replaced
    return true
  }
}
