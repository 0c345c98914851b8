import { type AnsiStyle, applySgr, plainStyle, toSgr } from './ansi-style'
import { isSgr, readSequence } from './control-sequences'

/** One character, and the sequence of its style; empty for the plain one. */
interface Cell {
  text: string
  style: string
}

const plain = toSgr(plainStyle)
const blank: Cell = { text: ' ', style: '' }

/**
 * A line of {@link ScreenLines}. It is text as long as it only grows, and cells while something in it is replaced: most lines are never
 * changed.
 */
export class ScreenRow {
  /** What the line is called outside; null until something is written in it. */
  line: number | null = null
  /** The text differs from what was passed on. */
  isChanged = false
  #text = ''
  #cells: Cell[] | null = null

  /** @param start the style of the stream where the line begins */
  constructor(private start: AnsiStyle) {}

  /** Its text with the sequences that set styles, and the style before it. */
  read(): { text: string; start: AnsiStyle } {
    return { text: this.#cells === null ? this.#text : textOf(this.#cells), start: this.start }
  }

  get length(): number {
    return this.#cells?.length ?? this.#text.length
  }

  /** The number of columns. */
  width(): number {
    return this.#split().length
  }

  append(text: string, style: AnsiStyle): void {
    this.isChanged = true
    if (this.#cells === null) this.#text += text
    else this.replace(this.#cells.length, text, style)
  }

  /** Changes the style of what is appended. */
  appendStyle(sequence: string, style: AnsiStyle): void {
    if (this.#cells !== null) return
    this.isChanged = true
    if (this.#text === '') this.start = style
    else this.#text += sequence
  }

  /** Writes over the text from a column on, and returns the next column. */
  replace(column: number, text: string, style: AnsiStyle): number {
    this.isChanged = true
    const cells = this.#split()
    const sequence = style === plainStyle ? '' : toSgr(style)
    let at = column
    while (cells.length < column) cells.push(blank)
    for (const character of text) {
      cells[at++] = { text: character, style: sequence === plain ? '' : sequence }
    }
    return at
  }

  /** Erases to the end (0), to the start (1) or all (2), from a column on. */
  erase(what: number, column: number): void {
    this.isChanged = true
    const cells = this.#split()
    if (what === 1) for (let at = Math.min(column, cells.length - 1); at >= 0; at--) cells[at] = blank
    else cells.length = what === 0 ? Math.min(column, cells.length) : 0
  }

  /** Needs less memory until something in it is replaced again. */
  compact(): void {
    if (this.#cells === null) return
    this.#text = textOf(this.#cells)
    this.#cells = null
  }

  #split(): Cell[] {
    if (this.#cells === null) {
      this.#cells = cellsOf(this.#text, this.start)
      this.start = plainStyle
      this.isChanged = true
    }
    return this.#cells
  }
}

function cellsOf(text: string, start: AnsiStyle): Cell[] {
  const cells: Cell[] = []
  let style = start
  let sequence = toSgr(style)
  let at = 0
  while (at < text.length) {
    const found = text.charCodeAt(at) === 0x1b || text.charCodeAt(at) === 0x9b ? readSequence(text, at) : null
    if (found !== null && isSgr(found)) {
      style = applySgr(style, found.parameters)
      sequence = toSgr(style)
      at = found.end
      continue
    }
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    cells.push({ text: character, style: sequence === plain ? '' : sequence })
    at += character.length
  }
  return cells
}

function textOf(cells: readonly Cell[]): string {
  let text = ''
  let before = ''
  for (const cell of cells) {
    if (cell.style !== before) text += cell.style === '' ? plain : cell.style
    before = cell.style
    text += cell.text
  }
  return text
}
