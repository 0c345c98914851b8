import { type AnsiStyle, applySgr, plainStyle } from './ansi-style'
import { isBegunSequence, isSgr, notOnlyText, readSequence, type Sequence } from './control-sequences'
import { type CursorMove, CursorRows, mostRowsUp, readCursorMove, rightmost } from './cursor-moves'
import { ScreenRow } from './screen-row'

/** Where {@link ScreenLines} puts its lines. */
export interface LineSink {
  /** A line begins below all others. Returns its number. */
  begin(start: AnsiStyle): number
  /** The line has this text, which begins in the style `start`. */
  change(line: number, text: string, start: AnsiStyle): void
  /** Characters of a long line are left out. */
  cut?(line: number, characters: number): void
}

/** A longer sequence that has not ended is text. */
const mostBegun = 4096

/**
 * The lines of a stream as a terminal shows them: carriage return, backspace, moves of the cursor and erasures are applied, colours stay,
 * and other sequences are left out. The cursor stays in the lines of the stream: see {@link CursorRows}.
 */
export class ScreenLines {
  readonly #cursor = new CursorRows()
  /** The lines that can change. The cursor is in the line after `above` others. */
  #rows: ScreenRow[] = [new ScreenRow(plainStyle)]
  /** Null at the end of the line. */
  #column: number | null = null
  #style = plainStyle
  /** The beginning of a sequence. */
  #begun = ''
  #highest = 0

  constructor(
    private readonly sink: LineSink,
    private readonly lineCharacters = Number.POSITIVE_INFINITY,
  ) {}

  /** The line of the cursor begins now, if it has not. */
  get line(): number {
    return this.#begin(this.#row)
  }

  get lineLength(): number {
    return this.#row.length
  }

  /** Whether a line may change yet. */
  mayChange(line: number): boolean {
    if (line < (this.#rows[0]?.line ?? 0)) return false
    return this.#rows.some((row) => row.line === line)
  }

  /** Whether a program that moves the cursor as far up as this one did does not reach a line. */
  isOutOfReach(line: number): boolean {
    const rows = this.#rows.slice(Math.max(0, this.#rows.length - 1 - this.#highest))
    return rows.every((row) => row.line === null || row.line > line)
  }

  write(text: string): void {
    const all = this.#begun + text
    this.#begun = ''
    let at = 0
    while (at < all.length) {
      notOnlyText.lastIndex = at
      const found = notOnlyText.exec(all)
      this.#print(all.slice(at, found?.index))
      if (found === null) return
      at = found.index
      const sequence = readSequence(all, at)
      if (sequence !== null) {
        this.#apply(sequence, all.slice(at, sequence.end))
        at = sequence.end
      } else if (all.length - at < mostBegun && isBegunSequence(all, at)) {
        this.#begun = all.slice(at)
        return
      } else {
        this.#control(found[0])
        at++
      }
    }
  }

  /** Passes on what has changed. */
  settle(): void {
    for (const row of this.#rows) this.#pass(row)
  }

  /** Ends the stream. The beginning of a sequence is text then, so that it hides nothing. */
  end(): void {
    this.#print(this.#begun)
    this.#begun = ''
    this.settle()
  }

  /** The lines before this one are no longer kept. If the cursor can reach one, the next text begins a new line. */
  forget(before: number): void {
    if (!this.#rows.some(({ line }) => line !== null && line < before)) return
    this.#rows = [new ScreenRow(this.#style)]
    this.#cursor.restart()
    this.#column = null
  }

  get #row(): ScreenRow {
    const row = this.#rows[this.#cursor.above]
    if (row === undefined) throw new Error('The cursor is outside of the lines.')
    return row
  }

  #begin(row: ScreenRow): number {
    row.line ??= this.sink.begin(row.read().start)
    return row.line
  }

  #pass(row: ScreenRow): void {
    if (!row.isChanged || row.line === null) return
    const { text, start } = row.read()
    this.sink.change(row.line, text, start)
    row.isChanged = false
  }

  #print(text: string): void {
    if (text === '') return
    const row = this.#row
    const line = this.#begin(row)
    if (this.#column === 0 && row.length === 0) {
      this.#column = null
      row.appendStyle('', this.#style)
    }
    const room = this.lineCharacters - (this.#column ?? row.length)
    const kept = text.length > room ? text.slice(0, Math.max(0, room)) : text
    if (kept.length < text.length) this.sink.cut?.(line, text.length - kept.length)
    if (this.#column === null) row.append(kept, this.#style)
    else this.#column = row.replace(this.#column, kept, this.#style)
  }

  #control(character: string): void {
    if (character === '\n') this.#feedLine()
    else if (character === '\r') this.#column = 0
    else if (character === '\b') this.#column = Math.max(0, this.#columnNumber() - 1)
    else this.#print(character)
  }

  #feedLine(): void {
    const row = this.#row
    this.#begin(row)
    row.compact()
    this.#column = 0
    if (!this.#cursor.lineFeed()) return
    this.#rows.push(new ScreenRow(this.#style))
    if (this.#rows.length <= mostRowsUp + 1) return
    const oldest = this.#rows.shift()
    if (oldest !== undefined) this.#pass(oldest)
  }

  #apply(sequence: Sequence, text: string): void {
    if (isSgr(sequence)) {
      this.#style = applySgr(this.#style, sequence.parameters)
      const isFull = this.#row.length + text.length > this.lineCharacters
      if (this.#column === null && !isFull) this.#row.appendStyle(text, this.#style)
      return
    }
    const move = readCursorMove(sequence.parameters, sequence.final)
    if (move !== null) this.#move(move)
  }

  #move({ kind, count, toStart }: CursorMove): void {
    switch (kind) {
      case 'up':
      case 'down':
        this.#column = toStart ? 0 : this.#columnNumber()
        this.#row.compact()
        this.#cursor.move(kind, count)
        this.#highest = Math.max(this.#highest, this.#cursor.below)
        return
      case 'right':
        this.#column = Math.max(this.#columnNumber(), Math.min(this.#columnNumber() + count, rightmost))
        return
      case 'left':
        this.#column = Math.max(0, this.#columnNumber() - count)
        return
      case 'column':
        this.#column = count
        return
      case 'eraseLine':
        this.#erase(this.#row, count, this.#columnNumber())
        return
      case 'eraseBelow':
        this.#erase(this.#row, 0, this.#columnNumber())
        for (const row of this.#rows.slice(this.#cursor.above + 1)) this.#erase(row, 2, 0)
    }
  }

  #erase(row: ScreenRow, what: number, column: number): void {
    if (row.length > 0) row.erase(what, column)
  }

  #columnNumber(): number {
    this.#column ??= this.#row.width()
    return this.#column
  }
}

/** The lines that a text shows on a terminal. */
export function screenLines(text: string): string[] {
  const lines: string[] = []
  const screen = new ScreenLines({
    begin: () => lines.push('') - 1,
    change: (line, shown) => {
      lines[line] = shown
    },
  })
  screen.write(text)
  screen.end()
  return lines
}
