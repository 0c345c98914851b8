export type OutputStream = 'stdout' | 'stderr'

/** Stored records that cannot be read, because the file or the rows are damaged. */
export class ResultFormatFault extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ResultFormatFault'
  }
}

/** The kind of a stored line. Its first bytes show it, because the encoder writes `type` first. */
export type LineKind = OutputStream | 'result' | 'truncated' | 'other'

/** A piece of output as the job wrote it, with its line feed if it has one. */
export interface Printed {
  stream: OutputStream
  text: string
  /** The task of a job on several nodes; null if the job has only one. */
  rank: number | null
}

const kinds = ['stdout', 'stderr', 'result', 'truncated'] as const
/** The kinds differ in this byte, which is also the character at this place. */
const tellingByte = '{"type":"std'.length
const beginnings = new Map(
  kinds.map((kind) => {
    const text = `{"type":"${kind}",`
    return [text.charCodeAt(tellingByte), { kind, text, bytes: Buffer.from(text) }]
  }),
)
const dataKey = '"data":'

export function kindOf(line: Buffer): LineKind {
  const found = beginnings.get(line[tellingByte] ?? 0)
  return found?.bytes.equals(line.subarray(0, found.bytes.length)) ? found.kind : 'other'
}

/** {@link kindOf} for the line that begins at `start` of a text. */
export function kindAt(text: string, start: number): LineKind {
  const found = beginnings.get(text.charCodeAt(start + tellingByte))
  return found && text.startsWith(found.text, start) ? found.kind : 'other'
}

export function parseStored(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new ResultFormatFault('A stored record is not JSON.', { cause })
  }
}

/** Where the line of the job begins in a `result` record. No value before `data` can contain the name of that key. */
function startOfData(record: { indexOf: (text: string) => number }): number {
  const at = record.indexOf(dataKey)
  if (at === -1) throw new ResultFormatFault('A stored result has no data.')
  return at + dataKey.length
}

/** @param head a `result` record as far as the line of the job */
const endsLine = (head: string) => !head.includes('"eol":false')

/** Where the line of the job begins in the text of a `result` record, and whether it had a line feed. */
export function openResult(record: string): { start: number; ends: boolean } {
  const start = startOfData(record)
  return { start, ends: endsLine(record.slice(0, start)) }
}

/**
 * The line of the job in a `result` record, byte for byte. Parsing and writing it again would change spaces, number formats
 * and repeated keys.
 */
export function resultData(line: Buffer): { data: Buffer; t: string; ends: boolean; rank: number | null } {
  const start = startOfData(line)
  const before = line.toString('latin1', 0, start)
  const rank = /"rank":(\d+)/.exec(before)?.[1]
  return {
    data: line.subarray(start, -1),
    t: /"t":"([^"]*)"/.exec(before)?.[1] ?? '',
    ends: endsLine(before),
    rank: rank === undefined ? null : Number(rank),
  }
}

/** Restores the output of a stored line of the kind `stdout`, `stderr` or `result`. */
export function readPrinted(line: Buffer, kind: OutputStream | 'result'): Printed {
  if (kind === 'result') {
    const { data, ends, rank } = resultData(line)
    const text = data.toString()
    return { stream: 'stdout', text: ends ? `${text}\n` : text, rank }
  }
  const { text, eol, rank } = parseText(line.toString())
  return { stream: kind, text: eol ? `${text}\n` : text, rank }
}

/** Reads a stored line of the kind `stdout` or `stderr`. `eol`: its text ends with a line feed. */
export function parseText(line: string): { text: string; eol: boolean; rank: number | null } {
  const record = parseStored(line)
  if (
    typeof record !== 'object' ||
    record === null ||
    !('text' in record) ||
    typeof record.text !== 'string'
  ) {
    throw new ResultFormatFault('A stored line of output has no text.')
  }
  const eol = !('eol' in record && record.eol === false)
  const rank = 'rank' in record && typeof record.rank === 'number' ? record.rank : null
  return { text: record.text, eol, rank }
}
