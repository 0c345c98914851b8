import { stripVTControlCharacters } from 'node:util'
import type { PrintedLine } from '../../contract/diagnosis/facts'
import { kindOf } from '../../contract/output/printed-output'
import { database } from '../../database/client'
import { plainTextOf } from '../../results/decode'
import type { OutputReader } from '../../results/reading/output-reader'
import { readOutput } from '../../results/reading/read-output'

/** As much of the end of an output as a traceback and its causes need, and of several instances together. */
const keptBytes = 128 * 1024
const keptBytesOfAll = 512 * 1024

/** No message is longer. What searches a line takes time that grows faster than its length. */
const longestLine = 4_000
const keptEnd = 1_000

/** The end of what one instance printed. */
export interface LastLines {
  rank: number
  lines: PrintedLine[]
  /** Whether one of the lines is a result. */
  hasResult: boolean
}

/** Reads the last lines of each instance of an attempt. Deleted output has none. */
export async function readLastLines(
  reader: OutputReader,
  jobId: string,
  attempt: number,
): Promise<LastLines[]> {
  const { rows } = await database().pool.query<{ rank: number; bytes: number }>({
    name: 'output-bytes-by-rank',
    text: 'SELECT rank, output_bytes::int8 AS bytes FROM tasks WHERE job_id = $1 AND attempt = $2 ORDER BY rank',
    values: [jobId, attempt],
  })
  const kept = Math.min(keptBytes, Math.floor(keptBytesOfAll / Math.max(1, rows.length)))
  const read: LastLines[] = []
  for (const { rank, bytes } of rows) {
    const from = Math.max(0, bytes - kept)
    const parts: Buffer[] = []
    for await (const records of readOutput(reader, jobId, attempt, from, rank)) parts.push(records)
    const all = Buffer.concat(parts)
    // The first record is not whole.
    const records = recordsOf(from === 0 ? all : all.subarray(all.indexOf(0x0a) + 1))
    read.push({ rank, ...toLines(records) })
  }
  return read
}

function recordsOf(bytes: Buffer): Buffer[] {
  const records: Buffer[] = []
  let start = 0
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    records.push(bytes.subarray(start, end))
    start = end + 1
  }
  return records
}

/** The beginning and the end of a long line. */
function shortenLine(line: string): string {
  if (line.length <= longestLine) return line
  return `${line.slice(0, longestLine - keptEnd - 1)}…${line.slice(-keptEnd)}`
}

/** Joins the pieces of each stream to lines, which are in the order of their ends. */
export function toLines(records: readonly Buffer[]): Pick<LastLines, 'lines' | 'hasResult'> {
  const lines: PrintedLine[] = []
  const begun = {
    stdout: { text: '', t: null as string | null },
    stderr: { text: '', t: null as string | null },
  }
  let hasResult = false
  const end = (stream: keyof typeof begun) => {
    const { text, t } = begun[stream]
    lines.push({ text: stripVTControlCharacters(shortenLine(text)), t })
    begun[stream] = { text: '', t: null }
  }
  for (const record of records) {
    const kind = kindOf(record)
    hasResult ||= kind === 'result'
    const stream = kind === 'stderr' ? 'stderr' : 'stdout'
    const t = /"t":"([^"]{1,40})"/.exec(record.toString('latin1', 0, 200))?.[1] ?? null
    const [first = '', ...rest] = plainTextOf(record).split('\n')
    begun[stream] = { text: begun[stream].text + first, t: begun[stream].t ?? t }
    for (const text of rest) {
      end(stream)
      begun[stream] = { text, t }
    }
  }
  for (const stream of ['stdout', 'stderr'] as const) if (begun[stream].text !== '') end(stream)
  return { lines, hasResult }
}
