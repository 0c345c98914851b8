import type { AnsiStyle } from '@/lib/contract/output/screen/ansi-style'

export type LineKind = 'stdout' | 'stderr' | 'notice'
/** `text`: lines of both streams that are not JSON. */
export type StreamFilter = 'all' | 'stdout' | 'stderr' | 'text'
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
    stream: stream === 'stdout' || stream === 'stderr' || stream === 'text' ? stream : 'all',
    rank: second === undefined ? null : Number(first),
  }
}

/** Whether a filter shows a line. A notice belongs to both streams. */
export function matchesFilter(
  { kind, rank, json }: Pick<OutputLine, 'kind' | 'rank' | 'json'>,
  filter: LineFilter,
): boolean {
  const wanted = partsOf(filter)
  if (wanted.rank !== null && rank !== wanted.rank) return false
  if (wanted.stream === 'text') return !json
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
  /** The program printed it as a line of JSON, which is a result. */
  readonly json: boolean
}
