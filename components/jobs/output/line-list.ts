import type { AnsiStyle } from '@/lib/contract/output/screen/ansi-style'
import { plainStyle } from '@/lib/contract/output/screen/ansi-style'
import { filterOf, type LineFilter, type LineKind, type OutputLine, type StreamFilter } from './line'

const kinds = ['stdout', 'stderr', 'notice'] as const satisfies readonly LineKind[]

/**
 * Stores hundreds of thousands of lines in columns: an object for each line would need several times the memory. A line
 * keeps its number when older lines are dropped.
 */
export class LineList {
  private texts: string[] = []
  private times: number[] = []
  private kindCodes: number[] = []
  /** Empty while no line had a rank. */
  private lineRanks: (number | null)[] = []
  private readonly starts = new Map<number, AnsiStyle>()
  private readonly cuts = new Map<number, number>()
  private readonly jsonLines = new Set<number>()
  /** The line numbers of each filter. A notice belongs to both streams. */
  private readonly byFilter = new Map<LineFilter, number[]>()
  private readonly seenRanks = new Set<number>()

  /** The number of the oldest line that is not dropped. */
  first = 0
  characters = 0
  /** Includes dropped lines. */
  readonly counts: Record<LineKind, number> = { stdout: 0, stderr: 0, notice: 0 }

  /** One past the number of the newest line. */
  get end(): number {
    return this.first + this.texts.length
  }

  /** The ranks with output, sorted; empty for a job with one task. */
  get ranks(): number[] {
    return [...this.seenRanks].sort((a, b) => a - b)
  }

  add(
    kind: LineKind,
    at: number,
    text: string,
    start: AnsiStyle,
    rank: number | null = null,
    json = false,
  ): number {
    const number = this.end
    this.texts.push(text)
    this.times.push(at)
    this.kindCodes.push(kinds.indexOf(kind))
    if (start !== plainStyle) this.starts.set(number, start)
    if (json) this.jsonLines.add(number)
    this.index(number, kind, rank, json)
    this.counts[kind]++
    this.characters += text.length
    return number
  }

  /** Adds a line to each filter that it matches. */
  private index(number: number, kind: LineKind, rank: number | null, json: boolean): void {
    const streams: StreamFilter[] = kind === 'notice' ? ['stdout', 'stderr'] : [kind]
    if (!json) streams.push('text')
    if (!json && kind !== 'stderr') streams.push('stdout-text')
    for (const stream of streams) this.numbersOf(filterOf(stream, null)).push(number)
    if (rank === null && this.lineRanks.length === 0) return
    this.lineRanks[number - this.first] = rank
    if (rank === null) return
    this.seenRanks.add(rank)
    for (const stream of [...streams, 'all'] as const) this.numbersOf(filterOf(stream, rank)).push(number)
  }

  private numbersOf(filter: LineFilter): number[] {
    const known = this.byFilter.get(filter)
    if (known) return known
    const created: number[] = []
    this.byFilter.set(filter, created)
    return created
  }

  replace(number: number, text: string, start: AnsiStyle): void {
    const at = number - this.first
    const before = this.texts[at]
    if (before === undefined) return
    this.texts[at] = text
    if (start === plainStyle) this.starts.delete(number)
    else this.starts.set(number, start)
    this.characters += text.length - before.length
  }

  addCut(number: number, characters: number): void {
    this.cuts.set(number, (this.cuts.get(number) ?? 0) + characters)
  }

  /** A line by its number; undefined if it was dropped. */
  read(number: number): OutputLine | undefined {
    const at = number - this.first
    const text = this.texts[at]
    if (text === undefined) return undefined
    return {
      number,
      text,
      kind: kinds[this.kindCodes[at] ?? 0] ?? 'stdout',
      at: this.times[at] ?? 0,
      start: this.starts.get(number) ?? plainStyle,
      cut: this.cuts.get(number) ?? 0,
      rank: this.lineRanks[at] ?? null,
      json: this.jsonLines.has(number),
    }
  }

  count(filter: LineFilter): number {
    return filter === 'all' ? this.texts.length : this.numbersOf(filter).length
  }

  /** The line number of a row in the filtered list. */
  numberAt(filter: LineFilter, row: number): number {
    return filter === 'all' ? this.first + row : (this.numbersOf(filter)[row] ?? this.end)
  }

  /** The row of a line in the filtered list, or of the next line that matches. */
  rowOf(filter: LineFilter, number: number): number {
    if (filter === 'all') return Math.min(Math.max(0, number - this.first), this.texts.length)
    return lowerBound(this.numbersOf(filter), number)
  }

  /** Drops the oldest lines until both limits hold. */
  dropTo(lines: number, characters: number): void {
    let drop = Math.max(0, this.texts.length - lines)
    let left = this.characters
    for (let at = 0; at < drop; at++) left -= this.texts[at]?.length ?? 0
    while (left > characters && drop < this.texts.length - 1) left -= this.texts[drop++]?.length ?? 0

    this.texts = this.texts.slice(drop)
    this.times = this.times.slice(drop)
    this.kindCodes = this.kindCodes.slice(drop)
    this.lineRanks = this.lineRanks.slice(drop)
    this.first += drop
    this.characters = left
    for (const numbers of this.byFilter.values()) numbers.splice(0, lowerBound(numbers, this.first))
    for (const sparse of [this.starts, this.cuts]) {
      for (const number of sparse.keys()) if (number < this.first) sparse.delete(number)
    }
    for (const number of this.jsonLines) if (number < this.first) this.jsonLines.delete(number)
  }
}

/** The first index in a sorted list whose value is at least `value`, or the list's length. */
export function lowerBound(list: readonly number[], value: number): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}
