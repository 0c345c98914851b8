/** The start of a sentence whose subject comes late, or never. Questions may begin so. */
const start = String.raw`(?:Of|Who|So many|What of)\b(?![^.?]{0,120}\?)`
/** Where a sentence begins in code: a comment, a string, the text of an element, or after another sentence. */
const inCode = new RegExp(
  String.raw`(?:(?:(?<!:)//|/\*+|#|--|^\s*\*)\s+|['"\`>]|(?<=[a-z)\`]\. ))${start} [a-z\`\d]`,
)
const inDocument = new RegExp(String.raw`(?:^(?:\s*(?:[-*>]|\d+\.)\s+)?|[.:|] |\*\* )${start}[ ,]`)

/**
 * Finds sentences that begin with *Of*, *Who*, *So many* or *What of* and are no question: they have to be read twice.
 *
 * @returns `FILE:LINE: TEXT` for each line that has one
 */
export function findRiddles(file: string, text: string): string[] {
  const riddle = file.endsWith('.md') ? inDocument : inCode
  return text
    .split('\n')
    .flatMap((line, at) => (riddle.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : []))
}
