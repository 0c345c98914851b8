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

/** A title that continues another sentence, so that it says nothing where it stands alone. Steps stand below their test. */
const openTitle =
  /^ *(?:it|test)(?:\.(?!step\b|describe\b)\w+)*(?:<[^>]*>)?(?:\((?:[^()]|\([^()]*\))*\))?\(\s*(['"`])(?<title>(?:that|and|or|also|too|who|whose|of which|it|they)\b.*?)\1/gm

/**
 * Finds titles of tests that begin in the middle of a sentence, such as "that is killed" below "a worker". A report shows them alone.
 *
 * @returns `FILE:LINE: TITLE` for each
 */
export function findOpenTitles(file: string, text: string): string[] {
  return Array.from(text.matchAll(openTitle), ({ index, groups }) => {
    const line = text.slice(0, index).split('\n').length
    return `${file}:${line}: ${groups?.title}`
  })
}
