/*
 * Terminal control sequences (ECMA-48), with ESC or as one character. Built from named characters, because control
 * characters in a pattern are not readable.
 */
const esc = '\u001B'
const bell = '\u0007'
const introducers = '\u0090\u0098\u009D\u009E\u009F'
const stringEnd = '\u009C'

/** A control sequence: parameters, intermediates and the final letter. */
const controlSequence = new RegExp(`(?:${esc}\\[|\u009B)([0-?]*)[ -/]*([@-~])`, 'y')

/**
 * A string for the terminal (a link, a title, the clipboard), up to its end mark. It may contain no other mark:
 * otherwise, a line of many start marks would take quadratic time.
 */
const controlString = new RegExp(
  `(?:${esc}[\\]PX^_]|[${introducers}])[^\\n${bell}${esc}\u0090-\u009F]*(?:${bell}|${esc}\\\\|${stringEnd})`,
  'y',
)

/** Any other escape: intermediates and one final character. */
const otherEscape = new RegExp(`${esc}[ -/]*[0-OQ-WYZ\\\\\`-~]`, 'y')

/** What is not only text: the end of a line, what moves the cursor, and the first character of a sequence. */
export const notOnlyText = new RegExp(`[\\n\\r\\b${esc}\u009B${introducers}]`, 'g')

/** The beginning of one of these sequences, which the next piece of a text may complete. */
const begun = new RegExp(
  `(?:(?:${esc}\\[|\u009B)[0-?]*[ -/]*|(?:${esc}[\\]PX^_]|[${introducers}])[^\\n${bell}${esc}\u0090-\u009F]*${esc}?|${esc}[ -/]*)$`,
  'y',
)

/** A complete sequence. */
export interface Sequence {
  end: number
  /** The parameters and the final letter of a control sequence; empty for others. */
  parameters: string
  final: string
}

/** Reads the sequence that begins at a place of a text. Null if none does, or if it is not complete. */
export function readSequence(text: string, at: number): Sequence | null {
  for (const pattern of [controlSequence, controlString, otherEscape]) {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) return { end: pattern.lastIndex, parameters: found[1] ?? '', final: found[2] ?? '' }
  }
  return null
}

/** Whether the end of a text, from a place on, is the beginning of a sequence. */
export function isBegunSequence(text: string, at: number): boolean {
  begun.lastIndex = at
  return begun.test(text)
}

/** Whether a control sequence sets the style. Private parameters (those with <, =, > or ?) belong to others with the same letter. */
export function isSgr({ parameters, final }: Sequence): boolean {
  return final === 'm' && /^[\d;:]*$/.test(parameters)
}
