import { type FileMetaData, parquetMetadata, parquetRead, parquetSchema, type SchemaElement } from 'hyparquet'
import { formatBytes } from '@/lib/contract/format-bytes'
import { checkPages, limitedCompressors } from './check-pages'
import type { ColumnType } from './column-type'
import { openUrl } from './open-url'
import { cellTextOf } from './parquet-value'
import type { OnBatch } from './read-csv'
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
 * Reads a Parquet file into a table, column by column. Returns false if the table was full before the end.
 * @throws TableError if the file is too large or damaged
 */
export async function readParquet(
  { url, bytes, signal }: ParquetFile,
  table: TableData,
  onBatch: OnBatch,
): Promise<boolean> {
  const { parquetBytes } = table.limits
  if (bytes > parquetBytes) {
    const limit = formatBytes(parquetBytes)
    throw new TableError(
      `The file has ${formatBytes(bytes)}. A Parquet file of at most ${limit} can be shown here. Download it instead.`,
    )
  }
  const buffer = await download(await openUrl(url, signal), bytes, onBatch)
  try {
    return await readGroups(buffer, table, () => onBatch(bytes))
  } catch (error) {
    // What a damaged or hostile file causes in the reader could be any error.
    if (error instanceof TableError || signal.aborted) throw error
    throw new TableError(
      `The file is not valid Parquet, or it uses a feature that is not supported: ${String(error)}`,
    )
  }
}

/** Reads a whole file of a known size. */
async function download(response: Response, bytes: number, onBatch: OnBatch): Promise<ArrayBuffer> {
  const buffer = new Uint8Array(bytes)
  const reader = response.body?.getReader()
  let at = 0
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done || value === undefined) break
    buffer.set(value.subarray(0, bytes - at), at)
    at += value.length
    await onBatch(at)
  }
  if (at !== bytes) throw new TableError('The connection broke while the file was read. Try again.')
  return buffer.buffer
}

async function readGroups(
  buffer: ArrayBuffer,
  table: TableData,
  onBatch: () => Promise<void>,
): Promise<boolean> {
  const metadata = parquetMetadata(buffer)
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
    if (start < end) checkPages(buffer, group, table.limits)
    for (; start < end; start = Math.min(end, start + windowRows)) {
      const rows = Math.min(windowRows, end - start, table.freeRows)
      if (rows === 0) return false
      for (const [column, { name }] of table.columns.entries()) {
        const values = await readColumn(buffer, metadata, { name, from: start, to: start + rows })
        table.addCells(column, values, (value) => cellTextOf(value, table.limits.cellCharacters))
      }
      table.endRows()
      if (rows < windowRows && start + rows < end) return false
      await onBatch()
    }
  }
  return table.count === start
}

interface ColumnPart {
  name: string
  from: number
  to: number
}

/** The values of one column in one row group. */
async function readColumn(
  buffer: ArrayBuffer,
  metadata: FileMetaData,
  { name, from, to }: ColumnPart,
): Promise<unknown[]> {
  const values: unknown[] = new Array(to - from).fill(null)
  await parquetRead({
    file: buffer,
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
