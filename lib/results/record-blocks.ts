import { ResultFormatFault } from '../contract/output/printed-output'
import { maxResultBytes } from './json-text'
import type { ByteSource } from './lines'
import { incompleteTail } from './utf8'

/** Stored records as text: complete ones with their line feeds, or a part of one that is too large to be kept whole. */
export type RecordBlock =
  | { records: string }
  /** `starts` and `ends`: the part is the first or the last one. The last one has the end of the record, without a line feed. */
  | { part: string; starts: boolean; ends: boolean }

/** Larger records come in parts. Only results are larger. */
const wholeBytes = 1 << 20
/** Longer than any record, which has a result and less than 1 MiB more. */
const maxRecordBytes = maxResultBytes + (1 << 20)
const lineFeed = 0x0a

/**
 * Reads stored records from bytes with arbitrary boundaries, in blocks: one text for many records, because decoding each takes
 * several times as long.
 */
export async function* readBlocks(source: ByteSource): AsyncGenerator<RecordBlock> {
  const begun = new BegunRecord()
  for await (const piece of source instanceof Uint8Array ? [source] : source) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    const first = bytes.indexOf(lineFeed) + 1
    if (first === 0) {
      const part = begun.append(bytes)
      if (part) yield part
      continue
    }
    if (begun.bytes > 0) yield begun.end(bytes.subarray(0, first))
    const last = bytes.lastIndexOf(lineFeed) + 1
    const start = begun.bytes > 0 ? first : 0
    if (last > start) yield { records: bytes.toString('utf8', start, last) }
    begun.reset()
    const part = begun.append(bytes.subarray(last))
    if (part) yield part
  }
  if (begun.bytes > 0) yield begun.end(Buffer.of(lineFeed))
}

/** The record whose end has not arrived. */
class BegunRecord {
  #pieces: Buffer[] = []
  #total = 0
  #inParts = false
  /** Bytes that were not returned. If any byte of the record has arrived, its last one is among these. */
  bytes = 0

  reset(): void {
    this.#pieces = []
    this.#total = 0
    this.#inParts = false
    this.bytes = 0
  }

  /** Returns a part of a large record, which ends with a complete character. */
  append(piece: Buffer): RecordBlock | null {
    if (piece.length === 0) return null
    this.#pieces.push(piece)
    this.bytes += piece.length
    this.#total += piece.length
    if (this.#total > maxRecordBytes)
      throw new ResultFormatFault(
        'A stored record is longer than any record can be. The result file is damaged.',
      )
    if (!this.#inParts && this.bytes <= wholeBytes) return null
    const all = Buffer.concat(this.#pieces)
    // The last byte stays, so that the last part has the end of the record.
    const end = all.length - 1 - incompleteTail(all.subarray(0, -1))
    const starts = !this.#inParts
    this.#inParts = true
    // A copy, because the piece is larger and would stay in memory.
    this.#pieces = [Buffer.from(all.subarray(end))]
    this.bytes = all.length - end
    return { part: all.toString('utf8', 0, end), starts, ends: false }
  }

  /** @param rest the rest of the record, with its line feed */
  end(rest: Buffer): RecordBlock {
    const text = Buffer.concat([...this.#pieces, rest]).toString()
    return this.#inParts ? { part: text.slice(0, -1), starts: false, ends: true } : { records: text }
  }
}
