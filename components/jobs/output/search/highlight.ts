import type { Segment } from '../ansi/ansi-parse'
import type { MatchRange } from './output-search'

/** A run of text with one style, entirely inside or outside a match. */
export interface Piece extends Segment {
  /** The index of its match in the line. */
  match?: number
}

/** Splits a line's runs at the edges of its matches. Ranges count over the whole line. */
export function cutAtMatches(segments: readonly Segment[], ranges: readonly MatchRange[]): Piece[] {
  if (ranges.length === 0) return [...segments]
  const pieces: Piece[] = []
  let offset = 0
  let nth = 0
  for (const segment of segments) {
    const end = offset + segment.text.length
    let at = offset
    while (at < end) {
      while ((ranges[nth]?.end ?? Number.POSITIVE_INFINITY) <= at) nth++
      const range = ranges[nth]
      const inside = range !== undefined && range.start <= at
      const until = Math.min(end, range === undefined ? end : inside ? range.end : range.start)
      const text = segment.text.slice(at - offset, until - offset)
      pieces.push(inside ? { ...segment, text, match: nth } : { ...segment, text })
      at = until
    }
    offset = end
  }
  return pieces
}

/** The first characters of a line, as runs. */
export function clip(segments: readonly Segment[], limit: number): Segment[] {
  const kept: Segment[] = []
  let left = limit
  for (const segment of segments) {
    if (left <= 0) break
    kept.push(segment.text.length <= left ? segment : { ...segment, text: segment.text.slice(0, left) })
    left -= segment.text.length
  }
  return kept
}
