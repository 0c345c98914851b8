import type { ByteRange } from '../../storage/store'

/** The part of a file that a request asks for. */
export type WantedRange = Required<ByteRange> | 'whole' | 'unsatisfiable'

/**
 * Parses the header `Range` (RFC 9110, section 14.2) for a file of this size. A server may ignore the header: several ranges,
 * another unit and a malformed header mean the whole file.
 */
export function parseRange(header: string | null, bytes: number): WantedRange {
  const match = /^bytes=(\d{0,16})-(\d{0,16})$/i.exec(header?.replaceAll(' ', '') ?? '')
  if (!match) return 'whole'
  const [, first = '', last = ''] = match
  if (first === '') {
    if (last === '') return 'whole'
    const length = Math.min(Number(last), bytes)
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'whole'
  if (start >= bytes) return 'unsatisfiable'
  return { start, end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) }
}
