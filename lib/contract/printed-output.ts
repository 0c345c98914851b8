export type OutputStream = 'stdout' | 'stderr'

/** Stored records that cannot be read: the file or the rows were damaged. */
export class ResultFormatFault extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ResultFormatFault'
  }
}

/** What a stored line is, told by its first bytes: the encoder writes `type` first. */
export type LineKind = OutputStream | 'result' | 'truncated' | 'other'

/** A piece of output as the job wrote it: with the line feed that ended it, if one did. */
export interface Printed {
  stream: OutputStream
  text: string
  /** Which task of a job over several nodes; null when it has one. */
  rank: number | null
}

const kinds = ['stdout', 'stderr', 'result', 'truncated'] as const
const beginnings = kinds.map((kind) => ({ kind, bytes: Buffer.from(`{"type":"${kind}",`) }))
const dataKey = '"data":'

export function kindOf(line: Buffer): LineKind {
  const found = beginnings.find(({ bytes }) => bytes.equals(line.subarray(0, bytes.length)))
  return found?.kind ?? 'other'
}

export function parseStored(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new ResultFormatFault('A stored record is not JSON.', { cause })
  }
}

/**
 * The job's own line inside a `result` record, byte for byte: parsing and writing it again would change spaces,
 * number formats and doubled keys. Nothing before `data` can hold that key's name.
 */
export function resultData(line: Buffer): { data: Buffer; t: string; ends: boolean; rank: number | null } {
  const at = line.indexOf(dataKey)
  if (at === -1) throw new ResultFormatFault('A stored result has no data.')
  const before = line.toString('latin1', 0, at)
  const rank = /"rank":(\d+)/.exec(before)?.[1]
  return {
    data: line.subarray(at + dataKey.length, -1),
    t: /"t":"([^"]*)"/.exec(before)?.[1] ?? '',
    ends: !before.includes('"eol":false'),
    rank: rank === undefined ? null : Number(rank),
  }
}

/** What a line of output restores to. Call it for `stdout`, `stderr` and `result` lines. */
export function readPrinted(line: Buffer, kind: OutputStream | 'result'): Printed {
  if (kind === 'result') {
    const { data, ends, rank } = resultData(line)
    const text = data.toString()
    return { stream: 'stdout', text: ends ? `${text}\n` : text, rank }
  }
  const record = parseStored(line.toString())
  if (
    typeof record !== 'object' ||
    record === null ||
    !('text' in record) ||
    typeof record.text !== 'string'
  ) {
    throw new ResultFormatFault('A stored line of output has no text.')
  }
  const ends = !('eol' in record && record.eol === false)
  const rank = 'rank' in record && typeof record.rank === 'number' ? record.rank : null
  return { stream: kind, text: ends ? `${record.text}\n` : record.text, rank }
}
