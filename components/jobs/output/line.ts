import type { AnsiStyle } from '@/lib/contract/output/screen/ansi-style'

export type LineKind = 'stdout' | 'stderr' | 'notice'
export type StreamFilter = 'all' | 'stdout' | 'stderr'
/** Lines of a stream, of all ranks or of one. */
export type LineFilter = StreamFilter | `${number}/${StreamFilter}`

/** The filter for a stream of one rank; null: of all ranks. */
export function filterOf(stream: StreamFilter, rank: number | null): LineFilter {
  return rank === null ? stream : `${rank}/${stream}`
}

export function partsOf(filter: LineFilter): { stream: StreamFilter; rank: number | null } {
  const [first = 'all', second] = filter.split('/')
  const stream = second ?? first
  return {
    stream: stream === 'stdout' || stream === 'stderr' ? stream : 'all',
    rank: second === undefined ? null : Number(first),
  }
}

/** Whether a filter shows a line. A notice belongs to both streams. */
export function matchesFilter(
  { kind, rank }: Pick<OutputLine, 'kind' | 'rank'>,
  filter: LineFilter,
): boolean {
  const wanted = partsOf(filter)
  if (wanted.rank !== null && rank !== wanted.rank) return false
  return wanted.stream === 'all' || kind === 'notice' || kind === wanted.stream
}

/** A line, which may still change. `number` counts from 0, including dropped lines. */
export interface OutputLine {
  readonly number: number
  readonly kind: LineKind
  /** The task of a multi-node job that printed it; null for a job with one task. */
  readonly rank: number | null
  readonly text: string
  /** The time of its first piece in milliseconds. */
  readonly at: number
  /** The style of the stream at the start of the line. */
  readonly start: AnsiStyle
  /** The number of characters that were dropped. */
  readonly cut: number
}
