import { plainText } from '../ansi/ansi-parse'
import { type LineFilter, matchesFilter } from '../line'
import { lowerBound } from '../line-list'
import type { OutputStore } from '../output-store'

export interface SearchQuery {
  text: string
  regex: boolean
  caseSensitive: boolean
}

type CompiledQuery = { ok: true; pattern: RegExp } | { ok: false; problem: string }

/** Compiles a query to a pattern. Text that is not a regular expression matches literally. */
export function compileQuery({ text, regex, caseSensitive }: SearchQuery): CompiledQuery {
  const source = regex ? text : text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  try {
    return { ok: true, pattern: new RegExp(source, caseSensitive ? 'gu' : 'giu') }
  } catch {
    return { ok: false, problem: 'Invalid regular expression' }
  }
}

export interface MatchRange {
  start: number
  end: number
}

/** The matches of a pattern in a text, without empty matches (as of `a*`). */
export function findMatches(text: string, pattern: RegExp): MatchRange[] {
  const ranges: MatchRange[] = []
  for (const match of text.matchAll(pattern)) {
    if (match[0] !== '') ranges.push({ start: match.index, end: match.index + match[0].length })
  }
  return ranges
}

/** A match: its line, and its index in that line. */
export interface FoundMatch {
  line: number
  nth: number
}

/**
 * A search in a store that may still grow. It works in slices, so that long output does not block the page. Only lines
 * with matches use memory.
 */
export class OutputSearch {
  private next: number
  private generation: number
  private lines: number[] = []
  /** The number of matches up to and including the line at the same index in `lines`. */
  private totals: number[] = []
  /** Lines that may change, and the text that was searched. */
  private readonly changing = new Map<number, string>()

  constructor(
    private readonly store: OutputStore,
    private readonly filter: LineFilter,
    readonly pattern: RegExp,
  ) {
    this.next = store.lines.first
    this.generation = store.generation
  }

  get total(): number {
    return this.totals.at(-1) ?? 0
  }

  /** All lines before this one were searched. */
  get scannedTo(): number {
    return this.next
  }

  /** Searches up to `limit` more lines. False if it reached the end of the store. */
  scan(limit: number): boolean {
    const { store } = this
    if (store.generation !== this.generation) this.restart()
    this.removeDropped()
    this.searchChanging()
    const from = Math.max(this.next, store.lines.first)
    const to = Math.min(from + limit, store.lines.end)
    for (let number = from; number < to; number++) this.searchLine(number)
    this.next = to
    return to < store.lines.end
  }

  /** The match with this index among all matches. */
  at(index: number): FoundMatch | undefined {
    if (index < 0 || index >= this.total) return undefined
    const place = lowerBound(this.totals, index + 1)
    const line = this.lines[place]
    return line === undefined ? undefined : { line, nth: index - (this.totals[place - 1] ?? 0) }
  }

  /** The index of the first match in this line or later; undefined if there is none yet. */
  indexFrom(line: number): number | undefined {
    const place = lowerBound(this.lines, line)
    return place < this.lines.length ? (this.totals[place - 1] ?? 0) : undefined
  }

  private restart(): void {
    this.generation = this.store.generation
    this.next = this.store.lines.first
    this.lines = []
    this.totals = []
    this.changing.clear()
  }

  private searchLine(number: number): void {
    const line = this.store.lines.read(number)
    if (!line || !matchesFilter(line, this.filter)) return
    if (this.store.mayChange(number)) this.changing.set(number, line.text)
    const count = findMatches(plainText(line.text), this.pattern).length
    if (count === 0) return
    this.lines.push(number)
    this.totals.push(this.total + count)
  }

  private searchChanging(): void {
    for (const [number, before] of this.changing) {
      const text = this.store.lines.read(number)?.text
      if (!this.store.mayChange(number)) this.changing.delete(number)
      if (text === undefined || text === before) continue
      if (this.store.mayChange(number)) this.changing.set(number, text)
      this.recount(number, findMatches(plainText(text), this.pattern).length)
    }
  }

  private recount(number: number, count: number): void {
    const place = lowerBound(this.lines, number)
    const known = this.lines[place] === number
    const before = known ? (this.totals[place] ?? 0) - (this.totals[place - 1] ?? 0) : 0
    if (count === before) return
    if (known && count === 0) {
      this.lines.splice(place, 1)
      this.totals.splice(place, 1)
    } else if (!known) {
      this.lines.splice(place, 0, number)
      this.totals.splice(place, 0, this.totals[place - 1] ?? 0)
    }
    for (let at = place; at < this.totals.length; at++) {
      this.totals[at] = (this.totals[at] ?? 0) + count - before
    }
  }

  private removeDropped(): void {
    const gone = lowerBound(this.lines, this.store.lines.first)
    if (gone === 0) return
    const base = this.totals[gone - 1] ?? 0
    this.lines = this.lines.slice(gone)
    this.totals = this.totals.slice(gone).map((total) => total - base)
  }
}
