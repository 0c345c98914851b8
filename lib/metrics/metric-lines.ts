import { kindAt } from '../contract/output/printed-output'
import { parseJson } from '../contract/parse-json'
import { largeLineBytes } from '../results/json-text'
import { parseNotFinite } from '../results/metrics'

/** A longer record has a line that is not parsed, because that would take too long. */
const maxRecordBytes = largeLineBytes + 1024
const lineFeed = 0x0a

/** Finds the lines of JSON in stored output, which arrives in pieces with arbitrary boundaries. */
export class MetricLines {
  #begun: Buffer[] = []
  #begunBytes = 0

  /**
   * @param onLine receives the value of each line, and the time at which it was recorded.
   * @param parse reads JSON; undefined if it is none.
   */
  constructor(
    private readonly onLine: (value: unknown, time: string) => void,
    private readonly parse: (json: string) => unknown = parseJson,
  ) {}

  push(piece: Buffer): void {
    const first = piece.indexOf(lineFeed)
    if (first !== -1) {
      this.#endRecord(piece.subarray(0, first))
      const last = piece.lastIndexOf(lineFeed)
      if (last > first) this.#readAll(piece.toString('utf8', first + 1, last))
      this.#begin(piece.subarray(last + 1))
    } else this.#begin(piece)
  }

  #begin(start: Buffer): void {
    this.#begunBytes += start.length
    if (this.#begunBytes > maxRecordBytes) this.#begun = []
    // A copy: the piece is larger, and would stay in memory.
    else if (start.length > 0) this.#begun.push(Buffer.from(start))
  }

  #endRecord(rest: Buffer): void {
    const bytes = this.#begunBytes + rest.length
    const record = Buffer.concat([...this.#begun, rest])
    this.#begun = []
    this.#begunBytes = 0
    if (bytes <= maxRecordBytes) this.#read(record.toString())
  }

  /** One text for many records, because decoding each takes twice as long. */
  #readAll(records: string): void {
    let start = 0
    for (let end = records.indexOf('\n'); end !== -1; end = records.indexOf('\n', start)) {
      this.#read(records.slice(start, end))
      start = end + 1
    }
    this.#read(records.slice(start))
  }

  #read(record: string): void {
    if (record.length > maxRecordBytes) return
    const kind = kindAt(record, 0)
    if (kind === 'result') {
      const { data, t } = toObject(this.parse(record))
      this.onLine(data, String(t))
    } else if (kind === 'stdout' && (record.includes('NaN') || record.includes('Infinity'))) {
      const { text, eol, t } = toObject(parseJson(record))
      if (typeof text === 'string' && eol !== false) this.onLine(parseNotFinite(text), String(t))
    }
  }
}

function toObject(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
