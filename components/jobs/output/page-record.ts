import { kindAt, openResult } from '@/lib/contract/output/printed-output'
import type { ResultFileRecord } from '@/lib/contract/output/records'
import { parseJson } from '@/lib/contract/parse-json'

/** A line of JSON of a job, unparsed: JavaScript would change its numbers. */
export interface ResultLine {
  type: 'result'
  t: string
  rank?: number
  eol?: false
  /** The line as it was printed. */
  text: string
  /** Its JSON. It differs from the line if that has NaN, for example. */
  json: string
}

/** A record as a page uses it. */
export type PageRecord = Exclude<ResultFileRecord, { type: 'result' }> | ResultLine

/** The records of some lines. Skips invalid lines, so that the rest of the output is shown. */
export function parseRecords(lines: readonly string[]): PageRecord[] {
  return lines.flatMap((line) => {
    const record = kindAt(line, 0) === 'result' ? readResultLine(line) : parseJson(line)
    return isRecord(record) ? [record] : []
  })
}

function readResultLine(record: string): ResultLine | null {
  try {
    const { start, line, t, rank, ends } = openResult(record)
    const json = record.slice(start, -1)
    const place = rank === null ? {} : { rank }
    return { type: 'result', t, ...place, ...(ends ? {} : { eol: false }), text: line ?? json, json }
  } catch {
    return null
  }
}

const recordTypes: readonly unknown[] = [
  'job',
  'stdout',
  'stderr',
  'result',
  'metric',
  'truncated',
  'exit',
] satisfies PageRecord['type'][]

/** gpuq writes the records, and a job cannot forge one. So the type is enough to know the rest. */
function isRecord(value: unknown): value is PageRecord {
  return typeof value === 'object' && value !== null && 'type' in value && recordTypes.includes(value.type)
}
