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
    return [text.charCodeAt(tellingByte), { kind, text }]
  }),
)
const dataKey = '"data":'
const textKey = '"text":'

export function kindOf(line: Buffer): LineKind {
  const found = beginnings.get(line[tellingByte] ?? 0)
  return found && line.toString('latin1', 0, found.text.length) === found.text ? found.kind : 'other'
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

/** What a `result` record says before its data. */
export interface ResultHead {
  t: string
  rank: number | null
  /** Whether the line had a line feed. */
  ends: boolean
  /** The line of the job, if `data` is not exactly that line: NaN, for example, is a text there. */
  line: string | null
}

/** @param head a `result` record as far as its data. No quote in a text of it has no backslash before it, so no text can forge a key. */
function readHead(head: string): ResultHead {
  const rank = /"rank":(\d+)/.exec(head)?.[1]
  const text = head.indexOf(textKey)
  const line = text === -1 ? null : parseStored(head.slice(text + textKey.length, -1 - dataKey.length))
  return {
    t: /"t":"([^"]*)"/.exec(head)?.[1] ?? '',
    rank: rank === undefined ? null : Number(rank),
    ends: !head.includes('"eol":false'),
    line: typeof line === 'string' ? line : null,
  }
}

/** Where the data begins in the text of a `result` record, and what is before it. */
export function openResult(record: string): ResultHead & { start: number } {
  const start = startOfData(record)
  return { start, ...readHead(record.slice(0, start)) }
}

/**
 * A `result` record in bytes. `data` is its JSON, byte for byte: parsing and writing it again would change spaces, number formats and
 * repeated keys.
 */
export function openResultBytes(record: Buffer): ResultHead & { data: Buffer } {
  const start = startOfData(record)
  return { data: record.subarray(start, -1), ...readHead(record.toString('utf8', 0, start)) }
}

/** Restores the output of a stored line of the kind `stdout`, `stderr` or `result`. */
export function readPrinted(line: Buffer, kind: OutputStream | 'result'): Printed {
  if (kind === 'result') {
    const { line: printed, data, ends, rank } = openResultBytes(line)
    const text = printed ?? data.toString()
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
