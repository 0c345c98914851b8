import { formatNumber } from '@/components/ui/format-number'
import type { OutputRecord, TruncatedRecord } from '@/lib/contract/output/records'
import { plainStyle } from '@/lib/contract/output/screen/ansi-style'
import { ScreenLines } from '@/lib/contract/output/screen/screen-lines'
import { LineList } from './line-list'
import type { PageRecord } from './page-record'

interface OutputLimits {
  lines: number
  characters: number
  lineCharacters: number
}

const defaultLimits: OutputLimits = { lines: 500_000, characters: 64 * 1024 ** 2, lineCharacters: 1024 ** 2 }

/** The lines without the methods that change them. */
type ReadableLines = Omit<LineList, 'add' | 'replace' | 'addCut' | 'dropTo'>

/**
 * The output of a job as lines, built from its records, as a terminal shows them. Each stream of each rank has lines of its own. Drops the
 * oldest lines past its limits, so that a page can stay open as long as the job runs.
 */
export class OutputStore {
  /** Changes with every change; for `useSyncExternalStore`. */
  version = 0
  /** Changes when the output starts again: earlier line numbers are then invalid. */
  generation = 0
  private readonly limits: OutputLimits
  private readonly listeners = new Set<() => void>()
  private list = new LineList()
  /** The last lines of the output, shown until it is complete; null: all lines are shown. */
  private tail: LineList | null = null
  private readonly screens = new Map<string, ScreenLines>()
  /** The time of the record that is added, and whether it is a line of JSON. */
  private now = 0
  private isJson = false

  constructor(limits: Partial<OutputLimits> = {}) {
    this.limits = { ...defaultLimits, ...limits }
  }

  get lines(): ReadableLines {
    return this.tail ?? this.list
  }

  /** Whether only the last lines are shown. How many lines are before them is not known, so their numbers mean nothing. */
  get isTail(): boolean {
    return this.tail !== null
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Adds records in the order they were written. Skips records that are not output. */
  append(records: readonly PageRecord[]): void {
    for (const record of records) this.take(record)
    for (const screen of this.screens.values()) screen.settle()
    this.trim()
    this.changed()
  }

  /** Shows the last records of an output until {@link showAll}. */
  showTail(records: readonly PageRecord[]): void {
    const store = new OutputStore(this.limits)
    store.append(records)
    this.tail = store.list
  }

  /** Shows all lines: the earlier output has arrived. */
  showAll(): void {
    if (this.tail === null) return
    this.tail = null
    this.generation++
    this.changed()
  }

  /** Starts again, as for a new attempt of the job. */
  clear(): void {
    this.list = new LineList()
    this.screens.clear()
    this.generation++
    this.changed()
  }

  /** Whether the text of a line may change yet. */
  mayChange(number: number): boolean {
    for (const screen of this.screens.values()) if (screen.mayChange(number)) return true
    return false
  }

  private take(record: PageRecord): void {
    switch (record.type) {
      case 'stdout':
      case 'stderr':
        this.write(record)
        break
      case 'result':
        this.isJson = true
        this.write({ ...record, type: 'stdout' })
        this.isJson = false
        break
      case 'truncated':
        this.list.add(
          'notice',
          Date.parse(record.t),
          describeTruncation(record),
          plainStyle,
          record.rank ?? null,
        )
        break
      case 'job':
      case 'metric':
        break
      case 'exit':
        for (const screen of this.screens.values()) screen.end()
        break
      default:
        record satisfies never
    }
  }

  private write({ type, t, text, eol, rank, cut = 0 }: OutputRecord): void {
    this.now = toTime(t)
    const screen = this.screenOf(type, rank ?? null)
    screen.write(text)
    if (cut > 0) this.list.addCut(screen.line, cut)
    if (eol !== false) screen.write('\n')
  }

  private screenOf(kind: OutputRecord['type'], rank: number | null): ScreenLines {
    const key = `${kind}/${rank ?? 0}`
    const known = this.screens.get(key)
    if (known) return known
    const { list } = this
    const screen = new ScreenLines(
      {
        begin: (start) => list.add(kind, this.now, '', start, rank, this.isJson),
        change: (line, text, start) => list.replace(line, text, start),
        cut: (line, characters) => list.addCut(line, characters),
      },
      this.limits.lineCharacters,
    )
    this.screens.set(key, screen)
    return screen
  }

  private trim(): void {
    const { list, limits } = this
    if (list.end - list.first <= limits.lines && list.characters <= limits.characters) return
    // Drops a tenth more, so that the next line does not cause another copy.
    list.dropTo(Math.floor(limits.lines * 0.9), Math.floor(limits.characters * 0.9))
    for (const screen of this.screens.values()) screen.forget(list.first)
  }

  private changed(): void {
    this.version++
    for (const listener of this.listeners) listener()
  }
}

/** The notice in place of output that gpuq did not store. */
export function describeTruncation({ limit_bytes: limit, dropped_bytes: dropped }: TruncatedRecord): string {
  const mebibytes = (limit / 1024 ** 2).toFixed(limit < 10 * 1024 ** 2 ? 1 : 0)
  return `The output limit is ${mebibytes} MiB. gpuq discarded the next ${formatNumber(dropped)} bytes.`
}

/** Zero for an invalid time: a record of another program must not break the page. */
function toTime(t: string): number {
  return Date.parse(t) || 0
}
