/*
 * The shapes of terminals' control sequences (ECMA-48), each in its form with ESC and in its one-character form.
 * They are put together from named characters: nobody can read a control character in a pattern.
 */
const esc = '\u001B'
const bell = '\u0007'
const introducers = '\u0090\u0098\u009D\u009E\u009F'
const stringEnd = '\u009C'

/** A control sequence: parameters, intermediates, and the letter that says which one it is. */
export const controlSequence = new RegExp(`(?:${esc}\\[|\u009B)([0-?]*)[ -/]*([@-~])`, 'y')

/**
 * A string for the terminal (a link, a title, the clipboard, a device's settings), up to its end mark. No other mark
 * may stand inside: a line of nothing but beginnings would be read to its end again from each of them.
 */
export const controlString = new RegExp(
  `(?:${esc}[\\]PX^_]|[${introducers}])[^${bell}${esc}\u0090-\u009F]*(?:${bell}|${esc}\\\\|${stringEnd})`,
  'y',
)

/** Any other escape: intermediates and one final character. */
export const otherEscape = new RegExp(`${esc}[ -/]*[0-OQ-WYZ\\\\\`-~]`, 'y')

/** Whether a text may change the style of what follows it. */
export function mayChangeStyle(text: string): boolean {
  return text.includes(`${esc}[`) || text.includes('\u009B')
}

/** Every change of style in a text, in order. */
export function findStyleChanges(text: string): string[] {
  return text.match(new RegExp(`${esc}\\[[\\d;:]*m`, 'g')) ?? []
}

/** Back to the default style. */
export function isStyleReset(sequence: string): boolean {
  return sequence === `${esc}[m` || sequence === `${esc}[0m`
}

/** Whether a text empties the line it stands in. */
export function erasesLine(text: string): boolean {
  return new RegExp(`${esc}\\[[012]?K`).test(text)
}

/** The text without its control sequences. */
export function withoutSequences(text: string): string {
  return text.replace(new RegExp(`${esc}\\[[0-?]*[ -/]*[@-~]`, 'g'), '')
}
