import { isUtf8 } from 'node:buffer'
import type { OutputStream } from '../contract/output/printed-output'
import { escapeJson, isPlain, readResultLine, startsLikeJson } from './json-text'
import { visitNumbers } from './metrics'
import { decodeReplacing } from './utf8'

/** Complete records as JSONL text, and their contents. */
export interface EncodedText {
  text: string
  records: number
  results: number
  replaced: number
  /** The last number of each metric in the lines. */
  metrics: Map<string, number>
  /** Lines of JSON that are too long for a record with the line and its JSON, and are therefore stored as text. */
  missed: number
}

/** Maximum text of one record in UTF-16 units; a longer line continues in the next record. */
export const maxRecordText = 64 * 1024

const lineFeed = '\n'

/**
 * Writes output of one stream as records with one timestamp. Building strings was measured to be faster than writing
 * into a buffer and than one JSON.stringify per record: 1,000,000 short lines take 0.2 s.
 */
export class RecordWriter {
  readonly #stream: OutputStream
  readonly #open: string
  readonly #openResult: string
  readonly #out: EncodedText = {
    text: '',
    records: 0,
    results: 0,
    replaced: 0,
    metrics: new Map(),
    missed: 0,
  }

  constructor(stream: OutputStream, at: string, rank: number | undefined) {
    const place = rank === undefined ? '' : `"rank":${rank},`
    this.#stream = stream
    this.#open = `{"type":"${stream}","t":"${at}",${place}"text":"`
    this.#openResult = `{"type":"result","t":"${at}",${place}`
  }

  /**
   * Writes complete lines with their line feeds. `continues`: the first line started in an earlier record and is
   * therefore not a result.
   */
  lines(bytes: Buffer, continues: boolean): EncodedText {
    if (isUtf8(bytes)) this.#textLines(bytes.toString(), continues)
    else this.#brokenLines(bytes, continues)
    return this.#out
  }

  /** Writes a part of a line whose end follows later or never. */
  piece(bytes: Buffer): EncodedText {
    const { text, replaced } = decodeReplacing(bytes)
    this.#line(text, { plain: isPlain(text), ends: false, replaced })
    return this.#out
  }

  /** Writes the last line of a stream without a line feed: as a result if possible, otherwise as a partial line. */
  lastLine(bytes: Buffer): EncodedText {
    const text = bytes.toString()
    const fields = isUtf8(bytes) ? this.#fieldsOf(text) : null
    if (fields === null) return this.piece(bytes)
    this.#result(`"eol":false,${fields}`)
    return this.#out
  }

  /**
   * Writes a large line that is a result, with its line feed if it has one, as bytes: text of its size would take several
   * times the memory.
   */
  largeResult(line: Buffer): Buffer[] {
    const ends = line.at(-1) === 0x0a
    return [
      Buffer.from(`${this.#openResult}${ends ? '' : '"eol":false,'}"data":`),
      // A copy, because the pending bytes change.
      Buffer.from(ends ? line.subarray(0, -1) : line),
      Buffer.from('}\n'),
    ]
  }

  #textLines(text: string, continues: boolean): void {
    const plain = isPlain(text)
    let start = 0
    let whole = !continues
    for (let end = text.indexOf(lineFeed); end !== -1; end = text.indexOf(lineFeed, start)) {
      const line = text.slice(start, end)
      const fields = whole ? this.#fieldsOf(line) : null
      if (fields !== null) this.#result(fields)
      else this.#line(line, { plain, ends: true, replaced: 0 })
      start = end + 1
      whole = true
    }
  }

  #brokenLines(bytes: Buffer, continues: boolean): void {
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      const line = bytes.subarray(start, end + 1)
      if (isUtf8(line)) this.#textLines(line.toString(), continues && start === 0)
      else {
        const { text, replaced } = decodeReplacing(line.subarray(0, -1))
        this.#line(text, { plain: false, ends: true, replaced })
      }
      start = end + 1
    }
  }

  /** The fields of a result with this line; null if it is none. Collects its numbers. `data` comes last: readers rely on it. */
  #fieldsOf(line: string): string | null {
    if (this.#stream !== 'stdout' || !startsLikeJson(line)) return null
    const result = readResultLine(line)
    if (result === null) return null
    visitNumbers(result.value, this.#addNumber)
    if (result.tooLong) {
      this.#out.missed++
      return null
    }
    return result.json === undefined ? `"data":${line}` : `"text":"${escapeJson(line)}","data":${result.json}`
  }

  readonly #addNumber = (name: string, number: number) => {
    this.#out.metrics.set(name, number)
  }

  #result(fields: string): void {
    this.#out.text += `${this.#openResult}${fields}}\n`
    this.#out.records++
    this.#out.results++
  }

  #line(line: string, how: { plain: boolean; ends: boolean; replaced: number }): void {
    let start = 0
    while (line.length - start > maxRecordText) {
      // Splitting a surrogate pair would turn one character into two replacement characters.
      const end =
        start + maxRecordText - (isHighSurrogate(line.charCodeAt(start + maxRecordText - 1)) ? 1 : 0)
      this.#write(line.slice(start, end), how.plain, '","eol":false}\n')
      start = end
    }
    const replaced = how.replaced > 0 ? `,"replaced":${how.replaced}` : ''
    this.#write(line.slice(start), how.plain, `"${how.ends ? '' : ',"eol":false'}${replaced}}\n`)
    this.#out.replaced += how.replaced
  }

  #write(text: string, plain: boolean, close: string): void {
    this.#out.text += this.#open + (plain ? text : escapeJson(text)) + close
    this.#out.records++
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
