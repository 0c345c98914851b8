import { plainText } from '../ansi/ansi-parse'
import type { LineFilter } from '../line'
import type { OutputStore } from '../output-store'
import { firstAtLeast } from '../sorted-list'

export interface SearchQuery {
  text: string
  regex: boolean
  caseSensitive: boolean
}

export type CompiledQuery = { ok: true; pattern: RegExp } | { ok: false; problem: string }

/** Makes the pattern of a query. What is not a regular expression is searched for as it is written. */
export function compileQuery({ text, regex, caseSensitive }: SearchQuery): CompiledQuery {
  const source = regex ? text : text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  try {
    return { ok: true, pattern: new RegExp(source, caseSensitive ? 'gu' : 'giu') }
  } catch {
    return { ok: false, problem: 'Not a regular expression' }
  }
}

export interface MatchRange {
  start: number
  end: number
}

/** Where a pattern is found in a text. Matches of nothing (as of `a*`) are none. */
export function findMatches(text: string, pattern: RegExp): MatchRange[] {
  const ranges: MatchRange[] = []
  for (const match of text.matchAll(pattern)) {
    if (match[0] !== '') ranges.push({ start: match.index, end: match.index + match[0].length })
  }
  return ranges
}

/** One match among all: the line it is in, and which of that line's matches it is. */
export interface FoundMatch {
  line: number
  nth: number
}

/**
 * A search through a store that may still grow. It goes on from where it stopped, a slice at a time, so that neither
 * a long output nor a lively one holds up the page. Only lines with matches cost memory.
 */
export class OutputSearch {
  private next: number
  private generation: number
  private lines: number[] = []
  /** How many matches there are up to and with the line at the same place in `lines`. */
  private totals: number[] = []
  /** Lines that were still being written to when they were looked at, and the text they had. */
  private readonly unfinished = new Map<number, string>()

  constructor(
    private readonly store: OutputStore,
    private readonly filter: LineFilter,
    readonly pattern: RegExp,
  ) {
    this.next = store.firstLine
    this.generation = store.generation
  }

  get total(): number {
    return this.totals.at(-1) ?? 0
  }

  /** Every line before this one has been looked at. */
  get scannedTo(): number {
    return this.next
  }

  /** Looks at up to so many more lines. False when it has caught up with the store. */
  scan(limit: number): boolean {
    const { store } = this
    if (store.generation !== this.generation) this.startAnew()
    this.forgetDropped()
    this.lookAgain()
    const from = Math.max(this.next, store.firstLine)
    const to = Math.min(from + limit, store.endLine)
    for (let number = from; number < to; number++) this.look(number)
    this.next = to
    return to < store.endLine
  }

  /** The match with this place in the whole, from 0. */
  at(index: number): FoundMatch | undefined {
    if (index < 0 || index >= this.total) return undefined
    const place = firstAtLeast(this.totals, index + 1)
    const line = this.lines[place]
    return line === undefined ? undefined : { line, nth: index - (this.totals[place - 1] ?? 0) }
  }

  /** The place of the first match in this line or after it; undefined when there is none (yet). */
  indexFrom(line: number): number | undefined {
    const place = firstAtLeast(this.lines, line)
    return place < this.lines.length ? (this.totals[place - 1] ?? 0) : undefined
  }

  private startAnew(): void {
    this.generation = this.store.generation
    this.next = this.store.firstLine
    this.lines = []
    this.totals = []
    this.unfinished.clear()
  }

  private look(number: number): void {
    const line = this.store.line(number)
    if (!line || (this.filter !== 'all' && line.kind !== 'notice' && line.kind !== this.filter)) return
    if (this.store.isOpen(number)) this.unfinished.set(number, line.text)
    const count = findMatches(plainText(line.text), this.pattern).length
    if (count === 0) return
    this.lines.push(number)
    this.totals.push(this.total + count)
  }

  private lookAgain(): void {
    for (const [number, before] of this.unfinished) {
      const text = this.store.line(number)?.text
      if (!this.store.isOpen(number)) this.unfinished.delete(number)
      if (text === undefined || text === before) continue
      if (this.store.isOpen(number)) this.unfinished.set(number, text)
      this.recount(number, findMatches(plainText(text), this.pattern).length)
    }
  }

  private recount(number: number, count: number): void {
    const place = firstAtLeast(this.lines, number)
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

  private forgetDropped(): void {
    const { firstLine } = this.store
    const gone = firstAtLeast(this.lines, firstLine)
    if (gone === 0) return
    const base = this.totals[gone - 1] ?? 0
    this.lines = this.lines.slice(gone)
    this.totals = this.totals.slice(gone).map((total) => total - base)
  }
}
