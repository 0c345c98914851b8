import { openUrl } from './open-url'
import { readCsv } from './read-csv'
import { orderRows } from './row-order'
import { TableData } from './table-data'
import { TableError, type TableLimits, tableLimits } from './table-limits'
import type { Span, TableColumn, TableMessage, TableRequest } from './table-messages'

/** Longer cells are shortened in the table. */
const cellCharacters = 200
/** A column is as wide as its longest cell among the first rows. */
const [sampledRows, narrowest, widest] = [200, 8, 40]
/** How often the page hears of the progress. */
const reportMs = 150

/** Holds one table, and answers the page. Runs in a web worker. */
export class TableEngine {
  #table: TableData
  #order: Uint32Array | null = null
  #widths: number[] = []
  readonly #stopped = new AbortController()

  constructor(
    readonly send: (message: TableMessage) => void,
    readonly limits: TableLimits = tableLimits,
  ) {
    this.#table = new TableData(limits)
  }

  /** Handles a message of the page. */
  async receive(request: TableRequest): Promise<void> {
    switch (request.kind) {
      case 'open':
        return this.#load(request)
      case 'stop':
        return this.#stopped.abort()
      case 'query': {
        const { columns, count } = this.#table
        try {
          this.#order = orderRows(columns, count, request.query)
        } catch (error) {
          // Without an answer, the page would wait for ever.
          return this.send({ kind: 'failed', message: describeFailure(error, false) })
        }
        return this.send({ kind: 'queried', id: request.id, count: this.#order?.length ?? count })
      }
      case 'cells': {
        const cells = { ...request, texts: this.#textsOf(request.rows, request.columns) }
        return this.send({ kind: 'cells', id: request.id, cells })
      }
      case 'cell':
        return this.send({
          kind: 'cell',
          id: request.id,
          text: this.#table.columns[request.column]?.at(this.#rowOf(request.row)) ?? '',
        })
      default:
        return request satisfies never
    }
  }

  async #load(file: TableRequest & { kind: 'open' }): Promise<void> {
    try {
      const notices = await this.#read(file)
      this.#report(file.bytes, false, notices)
    } catch (error) {
      const message = describeFailure(error, this.#stopped.signal.aborted)
      if (this.#table.count === 0) return this.send({ kind: 'failed', message })
      const part = 'The table has only the rows that were read before.'
      this.#report(file.bytes, false, [`${message} ${part}`, ...this.#table.notices(false)])
    }
  }

  /** Reads the file. Returns what the table does not show of it. */
  async #read({ url, format, bytes }: TableRequest & { kind: 'open' }): Promise<string[]> {
    const { signal } = this.#stopped
    let reported = performance.now()
    const onBatch = async (readBytes: number) => {
      const now = performance.now()
      const firstRows = this.#widths.length === 0 && this.#table.count > 0
      if (firstRows || now - reported >= reportMs) {
        this.#report(readBytes, true, [])
        reported = now
      }
      // Lets the worker receive messages.
      await new Promise((resolve) => setTimeout(resolve, 0))
      signal.throwIfAborted()
    }
    if (format === 'parquet') {
      // Loaded on use: most tables are CSV.
      const { readParquet } = await import('./read-parquet')
      const complete = await readParquet({ url, bytes, signal }, this.#table, onBatch)
      return this.#table.notices(!complete)
    }
    const response = await openUrl(url, signal)
    const content = chunksOf(response.body ?? new Blob().stream())
    const delimiter = format === 'tsv' ? '\t' : null
    const { complete, problems } = await readCsv(content, this.#table, { delimiter, onBatch })
    if (this.#table.columns.length === 0) throw new TableError('The file has no rows.')
    return [...problems, ...this.#table.notices(!complete)]
  }

  #report(readBytes: number, loading: boolean, notices: readonly string[]): void {
    if (this.#widths.length === 0 && this.#table.count > 0) this.#measure()
    const columns = this.#table.columns.map(
      ({ name, type }, index): TableColumn => ({
        name,
        type,
        width: this.#widths[index] ?? Math.min(widest, name.length + 4),
      }),
    )
    this.send({ kind: 'state', state: { columns, count: this.#table.count, readBytes, loading, notices } })
  }

  /** Once: widths that change while a user reads would make the table jump. */
  #measure(): void {
    const { columns, count } = this.#table
    const sample = Math.min(count, sampledRows)
    this.#widths = columns.map((column) => {
      let width = Math.max(narrowest, column.name.length + 4)
      for (let row = 0; row < sample; row++) width = Math.max(width, column.at(row).length)
      return Math.min(widest, width)
    })
  }

  #rowOf(position: number): number {
    return this.#order === null ? position : (this.#order[position] ?? -1)
  }

  #textsOf([fromRow, toRow]: Span, [fromColumn, toColumn]: Span): string[][] {
    const columns = this.#table.columns.slice(fromColumn, toColumn)
    const last = Math.min(toRow, this.#order?.length ?? this.#table.count)
    const texts: string[][] = []
    for (let position = fromRow; position < last; position++) {
      const row = this.#rowOf(position)
      texts.push(columns.map((column) => shortened(column.at(row))))
    }
    return texts
  }
}

function shortened(text: string): string {
  if (text.length <= cellCharacters) return text
  return `${text.slice(0, cellCharacters).replace(/[\ud800-\udbff]$/, '')}…`
}

function describeFailure(error: unknown, stopped: boolean): string {
  if (error instanceof TableError) return error.message
  if (stopped) return 'You stopped the loading.'
  if (error instanceof RangeError)
    return 'The file needs more memory than the browser has. Download it instead.'
  return 'The connection broke while the file was read. Try again.'
}

/** Not the stream itself: not every browser can iterate over it. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
