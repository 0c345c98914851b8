import { type CursorRows, moveOnTerminal } from '../output/screen/cursor-moves'

const esc = '\u001b'

/** Colours and other looks of text (SGR). They change nothing but the characters after them. */
const sgr = `${esc}\\[[\\d;:]{0,64}m`
/** Erases in the line, as progress bars and compilers do. It hides nothing that a carriage return could not. */
const erase = `${esc}\\[[012]?K`

/**
 * What may control a terminal or show a text in another order than it has: control characters other than tab, line feed, backspace
 * and carriage return, which progress bars use, separators of lines, and marks of direction.
 */
const controlling = `[\\0-\\u0007\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]`

const parts = new RegExp(`(${sgr}|${erase})|${controlling}`, 'g')
const colours = new RegExp(sgr, 'g')
/** The beginning of a sequence at the end of a piece. */
const begun = new RegExp(`${esc}(\\[[\\d;:]{0,64})?$`)
const reset = new RegExp(`^${esc}\\[0*m`)

/**
 * Makes text of jobs, of other users and of servers safe for a terminal: colours and the erasure of a line stay, and everything else
 * that controls a terminal is replaced by its code, such as `\u001b`. In JSON, the code stands for the same character.
 */
export function visibleOutput(text: string): string {
  return text.replace(parts, (found, harmless?: string) => harmless ?? codeOf(found))
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** The end of a line, and what may be a move of the cursor. */
const lineOrMove = new RegExp(`\\n|${esc}\\[(\\d{0,9})([A-J])`, 'g')

/** As {@link visibleOutput}, for a stream whose pieces may divide a sequence. */
export class VisibleOutput {
  #rest = ''
  #isColoured = false

  /** @param cursor of a terminal: moves in the lines that the program itself has printed there are kept */
  constructor(private readonly cursor: CursorRows | null = null) {}

  /** @param mayMove whether the piece may move the cursor */
  write(piece: string, mayMove = true): string {
    const text = this.#rest + piece
    const at = begun.exec(text)?.index ?? text.length
    this.#rest = text.slice(at)
    const shown = this.#visible(text.slice(0, at), mayMove ? this.cursor : null)
    const last = shown.match(colours)?.at(-1)
    if (last !== undefined) this.#isColoured = !reset.test(last)
    return shown
  }

  #visible(text: string, cursor: CursorRows | null): string {
    if (cursor === null) return visibleOutput(text)
    let shown = ''
    let from = 0
    for (const { 0: found, 1: parameters = '', 2: final = '', index } of text.matchAll(lineOrMove)) {
      if (found === '\n') cursor.lineFeed()
      const kept = found === '\n' ? found : moveOnTerminal(cursor, parameters, final)
      if (kept === null) continue
      shown += visibleOutput(text.slice(from, index)) + kept
      from = index + found.length
    }
    return shown + visibleOutput(text.slice(from))
  }

  /** The rest of the stream. Colours end with it, so that they do not hide what the user types next. */
  end(): string {
    const rest = visibleOutput(this.#rest) + (this.#isColoured ? `${esc}[0m` : '')
    this.#rest = ''
    this.#isColoured = false
    return rest
  }
}
