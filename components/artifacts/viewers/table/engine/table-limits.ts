import { formatBytes } from '@/lib/contract/format-bytes'

/** What the table of one file may hold. It is in the memory of the browser. */
export interface TableLimits {
  /** Text of all cells. */
  bytes: number
  /** Each cell takes four more bytes. */
  cells: number
  columns: number
  /** The longest row of a CSV file, in characters. */
  rowCharacters: number
  /** The longest cell of a Parquet file, in characters. */
  cellCharacters: number
  /** One row group of a Parquet file, as it is stored. */
  parquetBytes: number
  /** One page of a Parquet file, unpacked. */
  pageBytes: number
  /** Values in one page of a Parquet file. */
  pageValues: number
}

export const tableLimits: TableLimits = {
  bytes: 256 << 20,
  cells: 40_000_000,
  columns: 1000,
  rowCharacters: 1 << 20,
  cellCharacters: 64 << 10,
  parquetBytes: 256 << 20,
  pageBytes: 64 << 20,
  pageValues: 10_000_000,
}

/** A file that cannot be shown as a table. The message is a sentence for the user. */
export class TableError extends Error {}

/** Says that only the first rows are shown. */
export function describeCut(rows: number, { bytes, cells }: TableLimits): string {
  const limit = `${formatBytes(bytes)} of text and ${cells.toLocaleString('en')} cells`
  return `The table has only the first ${rows.toLocaleString('en')} rows: it holds at most ${limit}. Download the file to see the rest.`
}
