import { kindOf, openResultBytes } from '../contract/output/printed-output'
import { incompleteTail } from './utf8'

/** What remains of a result that is too large. */
const keptBytes = 64 * 1024
const lineFeed = 0x0a

/**
 * Replaces each result whose record is larger than `maxBytes` by the start of its line, for readers that show output:
 * a browser would freeze for seconds. Expects complete records.
 */
export function shortenRecords(records: Buffer, maxBytes: number): Buffer {
  if (records.length <= maxBytes) return records
  const parts: Buffer[] = []
  let start = 0
  while (start < records.length) {
    const end = records.indexOf(lineFeed, start) + 1 || records.length
    const record = records.subarray(start, end)
    parts.push(record.length > maxBytes && kindOf(record) === 'result' ? startOfResult(record) : record)
    start = end
  }
  return Buffer.concat(parts)
}

function startOfResult(record: Buffer): Buffer {
  const { line: printed, data, t, rank } = openResultBytes(record.subarray(0, -1))
  const line = printed === null ? data : Buffer.from(printed)
  const start = line.subarray(0, keptBytes)
  const kept = start.subarray(0, start.length - incompleteTail(start))
  const shown = {
    type: 'stdout',
    t,
    ...(rank === null ? {} : { rank }),
    text: kept.toString(),
    cut: line.length - kept.length,
  }
  return Buffer.from(`${JSON.stringify(shown)}\n`)
}
