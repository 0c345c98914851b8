import { formatNumber } from '@/components/ui/format-number'
import type { OutputRecord, TruncatedRecord } from '@/lib/contract/output/records'
import { parseLine } from './ansi/ansi-parse'
import { type AnsiStyle, plainStyle } from './ansi/ansi-style'
import { overwrite } from './ansi/carriage-return'
import { mayChangeStyle } from './ansi/control-sequences'
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

/** One stream of one rank. Its lines do not mix with others. */
interface Source {
  key: string
  kind: 'stdout' | 'stderr'
  rank: number | null
}

interface OpenLine {
  number: number
  raw: string
}

/**
 * The output of a job as lines, built from its records. Joins the pieces of a line and drops the oldest lines past its
 * limits, so that a page can stay open as long as the job runs.
 */
export class OutputStore {
  /** Changes with every change; for `useSyncExternalStore`. */
  version = 0
  /** Changes when the output starts again: earlier line numbers are then invalid. */
  generation = 0
  private readonly limits: OutputLimits
  private readonly listeners = new Set<() => void>()
  private list = new LineList()
  private readonly open = new Map<string, OpenLine>()
  private readonly carried = new Map<string, AnsiStyle>()

  constructor(limits: Partial<OutputLimits> = {}) {
    this.limits = { ...defaultLimits, ...limits }
  }

  get lines(): ReadableLines {
    return this.list
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Adds records in the order they were written. Skips records that are not output. */
  append(records: readonly PageRecord[]): void {
    for (const record of records) this.take(record)
    this.trim()
    this.changed()
  }

  /** Starts again, as for a new attempt of the job. */
  clear(): void {
    this.list = new LineList()
    this.open.clear()
    this.carried.clear()
    this.generation++
    this.changed()
  }

  /** Whether a line is unfinished. */
  isOpen(number: number): boolean {
    for (const line of this.open.values()) if (line.number === number) return true
    return false
  }

  private take(record: PageRecord): void {
    switch (record.type) {
      case 'stdout':
      case 'stderr':
        this.write(record)
        break
      case 'result':
        this.write({ ...record, type: 'stdout' })
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
      case 'exit':
        break
      default:
        record satisfies never
    }
  }

  private write({ type, t, text, eol, rank, cut = 0 }: OutputRecord): void {
    const source = { key: `${type}/${rank ?? 0}`, kind: type, rank: rank ?? null }
    const pieces = text.split('\n')
    for (const [index, piece] of pieces.entries()) {
      const unfinished = eol === false && index === pieces.length - 1
      const number = this.writePiece(source, toTime(t), piece, unfinished)
      if (cut > 0 && index === pieces.length - 1) this.list.addCut(number, cut)
    }
  }

  private writePiece(
    { key: stream, kind, rank }: Source,
    at: number,
    piece: string,
    unfinished: boolean,
  ): number {
    const open = this.open.get(stream)
    const start = this.carried.get(stream) ?? plainStyle
    const raw = overwrite((open?.raw ?? '') + piece)
    const kept = raw.length > this.limits.lineCharacters ? raw.slice(0, this.limits.lineCharacters) : raw
    const shown = kept.endsWith('\r') ? kept.slice(0, -1) : kept
    const number = open?.number ?? this.list.add(kind, at, shown, start, rank)
    if (open) this.list.replace(number, shown)
    if (raw.length > kept.length) this.list.addCut(number, raw.length - kept.length)
    if (unfinished) {
      this.open.set(stream, { number, raw: kept })
      return number
    }
    this.open.delete(stream)
    if (mayChangeStyle(shown)) this.carried.set(stream, parseLine(shown, start).end)
    return number
  }

  private trim(): void {
    const { list, limits } = this
    if (list.end - list.first <= limits.lines && list.characters <= limits.characters) return
    // Drops a tenth more, so that the next line does not cause another copy.
    list.dropTo(Math.floor(limits.lines * 0.9), Math.floor(limits.characters * 0.9))
    for (const [stream, line] of this.open) if (line.number < list.first) this.open.delete(stream)
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
