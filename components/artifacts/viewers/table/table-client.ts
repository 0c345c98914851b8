import type { TableQuery } from './engine/row-order'
import type { CellBlock, Span, TableMessage, TableRequest, TableState } from './engine/table-messages'

interface TableEvents {
  onState: (state: TableState) => void
  onFailure: (message: string) => void
}

type Answer = TableMessage & { id: number }

/** A table in a web worker. */
export class TableClient {
  readonly #worker = new Worker(new URL('./engine/table-worker.ts', import.meta.url), { type: 'module' })
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #lastId = 0

  constructor(file: Omit<TableRequest & { kind: 'open' }, 'kind'>, { onState, onFailure }: TableEvents) {
    this.#worker.addEventListener('error', () =>
      onFailure('The browser could not show the table. Reload the page, or download the file.'),
    )
    this.#worker.addEventListener('message', ({ data }: MessageEvent<TableMessage>) => {
      if (data.kind === 'state') onState(data.state)
      else if (data.kind === 'failed') onFailure(data.message)
      else {
        this.#waiting.get(data.id)?.(data)
        this.#waiting.delete(data.id)
      }
    })
    this.#send({ kind: 'open', ...file })
  }

  /** Sorts and filters. Returns the number of rows. */
  async query(query: TableQuery): Promise<number> {
    const answer = await this.#ask((id) => ({ kind: 'query', id, query }))
    return answer.kind === 'queried' ? answer.count : 0
  }

  async cells(rows: Span, columns: Span): Promise<CellBlock> {
    const answer = await this.#ask((id) => ({ kind: 'cells', id, rows, columns }))
    return answer.kind === 'cells' ? answer.cells : { rows, columns, texts: [] }
  }

  /** The whole text of a cell. */
  async cell(row: number, column: number): Promise<string> {
    const answer = await this.#ask((id) => ({ kind: 'cell', id, row, column }))
    return answer.kind === 'cell' ? answer.text : ''
  }

  /** Stops loading. The rows that were read stay. */
  stop(): void {
    this.#send({ kind: 'stop' })
  }

  /** Ends the web worker, which frees its memory. */
  close(): void {
    this.#worker.terminate()
  }

  #ask(request: (id: number) => TableRequest): Promise<Answer> {
    const id = ++this.#lastId
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#send(request(id))
    })
  }

  #send(request: TableRequest): void {
    this.#worker.postMessage(request)
  }
}
