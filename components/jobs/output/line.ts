import type { AnsiStyle } from '@/lib/contract/output/screen/ansi-style'

export type LineKind = 'stdout' | 'stderr' | 'notice'
export type Stream = 'all' | 'stdout' | 'stderr'
/** `text` and `stdout-text`: without the lines of JSON, which only stdout has. */
export type StreamFilter = Stream | 'text' | 'stdout-text'
const streamFilters = [
  'all',
  'stdout',
  'stderr',
  'text',
  'stdout-text',
] as const satisfies readonly StreamFilter[]
/** Lines of a stream, of all ranks or of one. */
export type LineFilter = StreamFilter | `${number}/${StreamFilter}`

/** The filter for a stream of one rank; null: of all ranks. */
export function filterOf(stream: StreamFilter, rank: number | null): LineFilter {
  return rank === null ? stream : `${rank}/${stream}`
}

export function partsOf(filter: LineFilter): { stream: StreamFilter; rank: number | null } {
  const [first = 'all', second] = filter.split('/')
  return {
    stream: streamFilters.find((known) => known === (second ?? first)) ?? 'all',
    rank: second === undefined ? null : Number(first),
  }
}

/** The stream of a filter, and whether the filter hides the lines of JSON. */
export function withoutJson(filter: StreamFilter): { stream: Stream; hidesJson: boolean } {
  if (filter === 'text') return { stream: 'all', hidesJson: true }
  if (filter === 'stdout-text') return { stream: 'stdout', hidesJson: true }
  return { stream: filter, hidesJson: false }
}

/** Shows or hides the lines of JSON of a stream. */
export function hideJson(stream: Stream, hidden: boolean): StreamFilter {
  if (!hidden || stream === 'stderr') return stream
  return stream === 'stdout' ? 'stdout-text' : 'text'
}

/** Whether a filter shows a line. A notice belongs to both streams. */
export function matchesFilter(
  { kind, rank, json }: Pick<OutputLine, 'kind' | 'rank' | 'json'>,
  filter: LineFilter,
): boolean {
  const wanted = partsOf(filter)
  if (wanted.rank !== null && rank !== wanted.rank) return false
  const { stream, hidesJson } = withoutJson(wanted.stream)
  if (hidesJson && json) return false
  return stream === 'all' || kind === 'notice' || kind === stream
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
