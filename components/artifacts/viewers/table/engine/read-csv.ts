import Papa from 'papaparse'
import { formatBytes } from '@/lib/contract/format-bytes'
import type { ColumnHead, TableData } from './table-data'
import { TableError } from './table-limits'

/** Characters that are parsed at once: enough to be fast, few enough for a progress. */
const batchCharacters = 1 << 19

/** What a reader reports between two batches. It may wait, so that the worker receives messages. */
export type OnBatch = (readBytes: number) => Promise<void>

/**
 * Reads CSV piece by piece into a table. `complete` is false if the table was full before the end.
 * @param delimiter null: guess it from the beginning
 * @throws TableError if nothing can be shown
 */
export async function readCsv(
  content: AsyncIterable<Uint8Array>,
  table: TableData,
  { delimiter, onBatch }: { delimiter: string | null; onBatch: OnBatch },
): Promise<{ complete: boolean; problems: string[] }> {
  const rows = new CsvRows(table, delimiter)
  let decoder: TextDecoder | null = null
  let text = ''
  let readBytes = 0
  let unknown = false
  for await (const bytes of content) {
    decoder ??= decoderOf(bytes)
    readBytes += bytes.length
    const decoded = decoder.decode(bytes, { stream: true })
    unknown ||= decoded.includes('\ufffd')
    text += decoded
    if (text.length < batchCharacters) continue
    text = rows.add(text, true)
    await onBatch(readBytes)
    if (rows.state !== 'open') break
  }
  if (rows.state === 'open') rows.add(text + (decoder?.decode() ?? ''), false)
  const encoding = unknown ? ['Some characters are not UTF-8. They are shown as \ufffd.'] : []
  return {
    complete: rows.state !== 'full',
    problems: [...(rows.problem === null ? [] : [rows.problem]), ...encoding],
  }
}

/** UTF-16 is what some programs on Windows write. */
function decoderOf(bytes: Uint8Array): TextDecoder {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le')
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be')
  if (bytes.subarray(0, 1024).includes(0)) throw new TableError('The file is not text.')
  return new TextDecoder()
}

/** Divides text into rows, and adds them to a table. */
class CsvRows {
  state: 'open' | 'full' | 'broken' = 'open'
  problem: string | null = null
  #parser: Papa.Parser | null = null
  #started = false

  constructor(
    readonly table: TableData,
    readonly delimiter: string | null,
  ) {}

  /** Adds the rows of a text. Returns the incomplete row at its end. */
  add(text: string, more: boolean): string {
    this.#parser ??= parserFor(text, this.delimiter)
    const { data, meta }: Papa.ParseResult<string[]> = this.#parser.parse(text, 0, more)
    const rows = data.filter(isNotBlank).map(withoutReturn)
    const rest = more ? text.slice(meta.cursor) : ''
    const { rowCharacters } = this.table.limits
    // Also the last row of a batch: a quote that is not closed makes one row of the whole file.
    const long =
      rest.length > rowCharacters ? rows.length : rows.findIndex((row) => isLong(row, rowCharacters))
    this.#addRows(long === -1 ? rows : rows.slice(0, long))
    if (long !== -1 && this.state === 'open') this.#refuseRow()
    return rest
  }

  #addRows(rows: readonly string[][]): void {
    if (rows.length === 0) return
    if (!this.#started) {
      this.#started = true
      this.table.setColumns(columnsOf(rows))
      rows = rows.slice(1)
    }
    if (!rows.every((row) => this.table.addRow(row))) this.state = 'full'
  }

  #refuseRow(): void {
    const limit = formatBytes(this.table.limits.rowCharacters)
    const hint = 'Perhaps the file is not a table, or a quote is not closed.'
    if (!this.#started) throw new TableError(`The first row is longer than ${limit}. ${hint}`)
    const row = (this.table.count + 2).toLocaleString('en')
    this.problem = `Row ${row} of the file is longer than ${limit}. The table ends before it. ${hint}`
    this.state = 'broken'
  }
}

function parserFor(text: string, delimiter: string | null): Papa.Parser {
  // Enough for a guess, and quick also if it is one huge line.
  const { meta } = Papa.parse(text.slice(0, 1 << 16), { preview: 20, ...(delimiter && { delimiter }) })
  return new Papa.Parser({ delimiter: meta.delimiter, newline: newlineOf(meta.linebreak) })
}

function newlineOf(found: string): '\n' | '\r' {
  return found === '\r' ? '\r' : '\n'
}

function isNotBlank(row: readonly string[]): boolean {
  return row.length > 1 || !/^\s*$/.test(row[0] ?? '')
}

/** Rows may end with \r\n or \n in the same file. */
function withoutReturn(row: string[]): string[] {
  const last = row.length - 1
  if (row[last]?.endsWith('\r')) row[last] = row[last].slice(0, -1)
  return row
}

function isLong(row: readonly string[], limit: number): boolean {
  let length = row.length
  for (const cell of row) length += cell.length
  return length > limit
}

/** The first row has the names. A row may have more cells than it. */
function columnsOf(rows: readonly string[][]): ColumnHead[] {
  const [names = []] = rows
  const count = rows.reduce((most, { length }) => Math.max(most, length), 0)
  return Array.from({ length: count }, (_, index) => ({
    name: names[index]?.trim() || `column ${index + 1}`,
    type: null,
  }))
}
