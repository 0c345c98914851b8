import { ResultFormatFault } from '../contract/output/printed-output'
import { maxResultBytes } from './json-text'

/** JSONL in chunks with arbitrary boundaries. */

export type ByteSource = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Longer than any record, which has a result and less than 1 MiB more. */
const maxLineBytes = maxResultBytes + (1 << 20)
const lineFeed = 0x0a

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/**
 * Yields the lines of a source without line feeds, grouped by the chunk that completed them: one await per chunk
 * instead of one per line.
 */
export async function* readLines(source: ByteSource): AsyncGenerator<Buffer[]> {
  let begun: Buffer[] = []
  let begunBytes = 0
  for await (const part of source instanceof Uint8Array ? [source] : source) {
    const chunk = asBuffer(part)
    const lines: Buffer[] = []
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      const rest = chunk.subarray(start, end)
      lines.push(begun.length > 0 ? Buffer.concat([...begun, rest]) : rest)
      begun = []
      begunBytes = 0
      start = end + 1
    }
    if (start < chunk.length) {
      begun.push(chunk.subarray(start))
      begunBytes += chunk.length - start
    }
    if (begunBytes > maxLineBytes)
      throw new ResultFormatFault(
        'A stored record is longer than any record can be. The result file is damaged.',
      )
    if (lines.length > 0) yield lines
  }
  if (begun.length > 0) yield [Buffer.concat(begun)]
}
