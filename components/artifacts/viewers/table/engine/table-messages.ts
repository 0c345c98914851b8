import type { ColumnType } from './column-type'
import type { TableQuery } from './row-order'

/** What the page tells its web worker about one table. */
export type TableRequest =
  | { kind: 'open'; url: string; format: 'csv' | 'tsv' | 'parquet'; bytes: number }
  /** Stops loading. The rows that were read stay. */
  | { kind: 'stop' }
  | { kind: 'query'; id: number; query: TableQuery }
  /** Rows and columns from the first number to before the second one. */
  | { kind: 'cells'; id: number; rows: Span; columns: Span }
  | { kind: 'cell'; id: number; row: number; column: number }

export type Span = readonly [from: number, to: number]

export type TableMessage =
  | { kind: 'state'; state: TableState }
  /** Nothing can be shown. */
  | { kind: 'failed'; message: string }
  | { kind: 'queried'; id: number; count: number }
  | { kind: 'cells'; id: number; cells: CellBlock }
  | { kind: 'cell'; id: number; text: string }

/** The text of cells, shortened. */
export interface CellBlock {
  rows: Span
  columns: Span
  texts: string[][]
}

export interface TableColumn {
  name: string
  type: ColumnType
  /** In characters. */
  width: number
}

export interface TableState {
  columns: readonly TableColumn[]
  /** Rows that were read so far. */
  count: number
  readBytes: number
  loading: boolean
  /** What the table does not show of the file. */
  notices: readonly string[]
}
