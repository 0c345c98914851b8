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

/** As {@link visibleOutput}, for a stream whose pieces may divide a sequence. */
export class VisibleOutput {
  #rest = ''
  #isColoured = false

  write(piece: string): string {
    const text = this.#rest + piece
    const at = begun.exec(text)?.index ?? text.length
    this.#rest = text.slice(at)
    const shown = visibleOutput(text.slice(0, at))
    const last = shown.match(colours)?.at(-1)
    if (last !== undefined) this.#isColoured = !reset.test(last)
    return shown
  }

  /** The rest of the stream. Colours end with it, so that they do not hide what the user types next. */
  end(): string {
    const rest = visibleOutput(this.#rest) + (this.#isColoured ? `${esc}[0m` : '')
    this.#rest = ''
    this.#isColoured = false
    return rest
  }
}
