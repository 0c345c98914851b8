import {
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type RowGroup,
  type SchemaElement,
} from 'hyparquet'
import { checkPages, limitedCompressors } from './check-pages'
import type { ColumnType } from './column-type'
import { cellTextOf } from './parquet-value'
import type { OnBatch } from './read-csv'
import { type FilePart, RemoteFile, sliceOf } from './remote-file'
import type { TableData } from './table-data'
import { TableError } from './table-limits'

/** Rows that are read at once, so that the first ones appear early. */
const windowRows = 1 << 16

interface ParquetFile {
  url: string
  bytes: number
  signal: AbortSignal
}

/**
 * Reads a Parquet file into a table, one row group after the other, until the table is full. Only these parts of the file are
 * requested, and one of them is in memory. Returns false if the table was full before the end.
 * @throws TableError if a part of the file is too large or damaged
 */
export async function readParquet(
  { url, bytes, signal }: ParquetFile,
  table: TableData,
  onBatch: OnBatch,
): Promise<boolean> {
  const file = new RemoteFile({ url, bytes, signal, limit: table.limits.parquetBytes, onRead: onBatch })
  try {
    return await readGroups(file, bytes, table, () => onBatch(bytes))
  } catch (error) {
    // What a damaged or hostile file causes in the reader could be any error.
    if (error instanceof TableError || signal.aborted) throw error
    throw new TableError(
      `The file is not valid Parquet, or it uses a feature that is not supported: ${String(error)}`,
    )
  }
}

async function readGroups(
  file: RemoteFile,
  bytes: number,
  table: TableData,
  onBatch: () => Promise<void>,
): Promise<boolean> {
  const metadata = await parquetMetadataAsync({
    byteLength: bytes,
    slice: async (start, end = bytes) => sliceOf(await file.read(start, end), start, end),
  })
  const { children } = parquetSchema(metadata)
  const heads = children.map(({ element }) => ({ name: element.name, type: typeOfElement(element) }))
  if (heads.length === 0) throw new TableError('The Parquet file has no columns.')
  // Values are read by the name of their column.
  if (new Set(heads.map(({ name }) => name)).size < heads.length)
    throw new TableError('Several columns of the Parquet file have the same name. Download it instead.')
  table.setColumns(heads)
  let start = 0
  for (const group of metadata.row_groups) {
    const end = start + Number(group.num_rows)
    if (start === end) continue
    // The table is full: the other groups are not requested.
    if (table.freeRows === 0) return false
    const part = await file.read(...placeOf(group))
    checkPages(part, group, table.limits)
    for (; start < end; start = Math.min(end, start + windowRows)) {
      const rows = Math.min(windowRows, end - start, table.freeRows)
      if (rows === 0) return false
      for (const [column, { name }] of table.columns.entries()) {
        const values = await readColumn(part, bytes, metadata, { name, from: start, to: start + rows })
        table.addCells(column, values, (value) => cellTextOf(value, table.limits.cellCharacters))
      }
      table.endRows()
      if (rows < windowRows && start + rows < end) return false
      await onBatch()
    }
  }
  return table.count === start
}

/** The first byte of a row group in the file, and the end of its last column. */
function placeOf({ columns }: RowGroup): [start: number, end: number] {
  const places = columns.flatMap(({ meta_data: chunk }) => {
    if (!chunk) return []
    const start = Number(chunk.dictionary_page_offset || chunk.data_page_offset)
    return [{ start, end: start + Number(chunk.total_compressed_size) }]
  })
  const [first] = places
  if (!first) throw new TableError('The Parquet file is damaged.')
  return places.reduce<[number, number]>(
    ([start, end], place) => [Math.min(start, place.start), Math.max(end, place.end)],
    [first.start, first.end],
  )
}

interface ColumnPart {
  name: string
  from: number
  to: number
}

/** The values of one column in one row group. */
async function readColumn(
  part: FilePart,
  bytes: number,
  metadata: FileMetaData,
  { name, from, to }: ColumnPart,
): Promise<unknown[]> {
  const values: unknown[] = new Array(to - from).fill(null)
  await parquetRead({
    file: { byteLength: bytes, slice: (start, end = bytes) => sliceOf(part, start, end) },
    metadata,
    compressors: limitedCompressors,
    columns: [name],
    rowStart: from,
    rowEnd: to,
    onChunk: ({ columnData, rowStart }) => {
      // A chunk may have rows outside of the requested ones.
      const skipped = Math.max(0, from - rowStart)
      const last = Math.min(columnData.length, to - rowStart)
      for (let row = skipped; row < last; row++) values[rowStart - from + row] = columnData[row]
    },
  })
  return values
}

const numbers = new Set(['INT32', 'INT64', 'FLOAT', 'DOUBLE'])

function typeOfElement({ type, converted_type, logical_type }: SchemaElement): ColumnType {
  const meaning = converted_type ?? logical_type?.type ?? ''
  if (/^(DATE|TIMESTAMP)/.test(meaning) || type === 'INT96') return 'time'
  if (type === 'BOOLEAN') return 'true or false'
  if (meaning === 'DECIMAL') return 'number'
  return type !== undefined && numbers.has(type) && !meaning.startsWith('TIME') ? 'number' : 'text'
}
