/** The start of a sentence whose subject comes late, or never. */
const start = String.raw`(?:Of|Who|So many|What of)\b(?![^.?\n]{0,120}\?)`
/** Where a sentence begins in code: a comment, a string, the text of an element, or after another sentence. */
const inCode = new RegExp(
  String.raw`(?:(?://|/\*\*|^\s*\*)\s+|['"\`>]|(?<=[a-z)\`]\. ))${start} [a-z\`\d]`,
  'gm',
)
const inDocument = new RegExp(String.raw`(?:^(?:\s*(?:[-*>]|\d+\.)\s+)?|[.:] )${start}[ ,]`, 'gm')

/**
 * Finds sentences that begin with *Of*, *Who*, *So many* or *What of* and are no question: they have to be read twice.
 *
 * @returns `FILE:LINE: TEXT` for each
 */
export function findRiddles(file: string, text: string): string[] {
  return Array.from(text.matchAll(file.endsWith('.md') ? inDocument : inCode), ({ index }) => {
    const line = text.slice(0, index).split('\n').length
    const offset = text[index] === '\n' ? 1 : 0
    return `${file}:${line + offset}: ${text.split('\n')[line - 1 + offset]?.trim()}`
  })
}
