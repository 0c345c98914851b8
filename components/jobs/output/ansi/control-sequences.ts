/*
 * Terminal control sequences (ECMA-48), with ESC or as one character. Built from named characters, because control
 * characters in a pattern are not readable.
 */
const esc = '\u001B'
const bell = '\u0007'
const introducers = '\u0090\u0098\u009D\u009E\u009F'
const stringEnd = '\u009C'

/** A control sequence: parameters, intermediates and the final letter. */
export const controlSequence = new RegExp(`(?:${esc}\\[|\u009B)([0-?]*)[ -/]*([@-~])`, 'y')

/**
 * A string for the terminal (a link, a title, the clipboard), up to its end mark. It may contain no other mark:
 * otherwise, a line of many start marks would take quadratic time.
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

/** Whether a sequence resets the style. */
export function isStyleReset(sequence: string): boolean {
  return sequence === `${esc}[m` || sequence === `${esc}[0m`
}

/** Whether a text erases its line. */
export function erasesLine(text: string): boolean {
  return new RegExp(`${esc}\\[[012]?K`).test(text)
}

/** The text without its control sequences. */
export function withoutSequences(text: string): string {
  return text.replace(new RegExp(`${esc}\\[[0-?]*[ -/]*[@-~]`, 'g'), '')
}
