import type { Compressors, RowGroup } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import {
  decompressBrotli,
  decompressGzip,
  decompressLz4,
  decompressLz4Raw,
  decompressZstd,
} from 'hyparquet-compressors'
import { formatBytes } from '@/lib/contract/format-bytes'
import type { FilePart } from './remote-file'
import { TableError, type TableLimits } from './table-limits'

/** Write into a buffer of the size that the page claims, which `checkPages` limits. hyparquet has Snappy itself. */
export const limitedCompressors: Compressors = {
  GZIP: decompressGzip,
  BROTLI: decompressBrotli,
  ZSTD: (input, length) => decompressZstd(input, new Uint8Array(length)),
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
}

/**
 * Reads the headers of all pages of a row group. A few bytes may claim to contain gigabytes, which would end the browser's tab.
 * @throws TableError if a page or a column claims too much
 */
export function checkPages(
  { start: partStart, content }: FilePart,
  { columns }: RowGroup,
  limits: TableLimits,
): void {
  for (const { meta_data: chunk } of columns) {
    if (!chunk) continue
    const start = Number(chunk.dictionary_page_offset || chunk.data_page_offset)
    // A view throws if it is outside of the part.
    const view = new DataView(content, start - partStart, Number(chunk.total_compressed_size))
    const reader = { view, offset: 0 }
    let values = 0
    while (reader.offset < view.byteLength - 1) {
      const header = parquetHeader(reader)
      const size = header.compressed_page_size
      if (!(size >= 0 && reader.offset + size <= view.byteLength))
        throw new TableError('The Parquet file is damaged.')
      reader.offset += size
      if (!(header.uncompressed_page_size <= limits.pageBytes)) {
        throw new TableError(
          `A part of the Parquet file has more than ${formatBytes(limits.pageBytes)} when it is unpacked. Download the file instead.`,
        )
      }
      const { data_page_header, data_page_header_v2, dictionary_page_header } = header
      for (const { num_values } of [data_page_header, data_page_header_v2, dictionary_page_header].flatMap(
        (one) => one ?? [],
      )) {
        if (!(num_values >= 0)) throw new TableError('The Parquet file is damaged.')
        values += num_values
      }
      if (values > limits.pageValues) {
        throw new TableError(
          `A row group of the Parquet file has more than ${limits.pageValues.toLocaleString('en')} values in a column. Download the file instead.`,
        )
      }
    }
  }
}
