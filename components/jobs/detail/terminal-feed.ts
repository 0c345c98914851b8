import { describeTruncation } from '../output/output-store'
import type { PageRecord } from '../output/page-record'

/** The page keeps this many characters of each terminal, and at most twice as many. */
const keptCharacters = 1024 ** 2
/** A terminal reads the characters of this piece in a few milliseconds. */
const pieceCharacters = 64 * 1024

/**
 * The latest output of one terminal, as the program wrote it. A position is the number of characters before it. The feed
 * drops the oldest text, so a slow reader may find that its position is before the start.
 */
export class TerminalFeed {
  #text = ''
  #start = 0
  #version = 0
  #liveFrom: number | null = null
  readonly #listeners = new Set<() => void>()

  constructor(readonly kept = keptCharacters) {}

  get start(): number {
    return this.#start
  }

  get end(): number {
    return this.#start + this.#text.length
  }

  /** Changes when the output starts again: earlier positions are then invalid. */
  get version(): number {
    return this.#version
  }

  /** Where the program's present output starts. Null while the page still loads its earlier output. */
  get liveFrom(): number | null {
    return this.#liveFrom
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  append(text: string): void {
    this.#text += text
    if (this.#text.length > 2 * this.kept) this.#drop(this.#text.length - this.kept)
    this.#notify()
  }

  /** All earlier output was received: the rest is live. */
  markLive(): void {
    if (this.#liveFrom !== null) return
    this.#liveFrom = this.end
    this.#notify()
  }

  /** Starts again, as for a new attempt of the job. */
  clear(): void {
    this.#text = ''
    this.#start = 0
    this.#liveFrom = null
    this.#version++
    this.#notify()
  }

  /** Returns the next piece, or an empty text at the end. */
  read(position: number): string {
    const from = position - this.#start
    return this.#text.slice(from, from + pieceCharacters)
  }

  /** Drops whole lines if possible: the rest of a control sequence would be printed as text. */
  #drop(least: number): void {
    const end = this.#text.indexOf('\n', least - 1) + 1
    const dropped = end > 0 ? end : least
    this.#text = this.#text.slice(dropped)
    this.#start += dropped
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** The terminals of a job: one for each of its tasks. */
export class TerminalFeeds {
  readonly #feeds = new Map<number, TerminalFeed>()
  #isLive = false

  /** The terminal of a rank. */
  of(rank: number): TerminalFeed {
    const known = this.#feeds.get(rank)
    if (known) return known
    const feed = new TerminalFeed()
    if (this.#isLive) feed.markLive()
    this.#feeds.set(rank, feed)
    return feed
  }

  append(records: readonly PageRecord[]): void {
    const texts = new Map<number, string>()
    for (const record of records) {
      const text = toTerminalText(record)
      if (text === '') continue
      const rank = ('rank' in record && record.rank) || 0
      texts.set(rank, (texts.get(rank) ?? '') + text)
    }
    for (const [rank, text] of texts) this.of(rank).append(text)
  }

  markLive(): void {
    this.#isLive = true
    for (const feed of this.#feeds.values()) feed.markLive()
  }

  clear(): void {
    this.#isLive = false
    for (const feed of this.#feeds.values()) feed.clear()
  }
}

/** What a record prints in a terminal. A program with a terminal writes only stdout; stderr has messages of gpuq. */
function toTerminalText(record: PageRecord): string {
  switch (record.type) {
    case 'stdout':
      return record.eol === false ? record.text : `${record.text}\n`
    case 'stderr':
      return `${record.text.replaceAll('\n', '\r\n')}${record.eol === false ? '' : '\r\n'}`
    case 'truncated':
      return `\r\n${describeTruncation(record)}\r\n`
    default:
      return ''
  }
}
