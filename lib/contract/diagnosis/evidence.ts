import type { CodeLocation } from './traceback-reader'

export const mostLines = 12
const longestLine = 200

interface Range {
  /** The index of the first line. */
  from: number
  /** The index of the line with the message, which may go on. */
  to: number
  location: CodeLocation | null
}

/** The lines of the output that show a failure: a traceback or the lines before a message, with the end of the message. */
export function findEvidence(lines: readonly string[], { from, to, location }: Range): string[] {
  const end = to + 1 + messageAfter(lines, to).slice(0, 2).length
  const shown = lines.slice(Math.max(0, from), end)
  if (shown.length <= mostLines) return shown.map(shorten).filter((line) => line.trim() !== '')
  const own = location === null ? -1 : shown.findLastIndex((line) => isFrame(line, location))
  const tail = shown.slice(-(mostLines - 3))
  // The user's own frame is above what the libraries add.
  const head = own !== -1 && own < shown.length - tail.length ? [...shown.slice(own, own + 2), '…'] : []
  return [...head, ...tail].map(shorten).filter((line) => line.trim() !== '')
}

/** The lines of a message after its first one, up to an empty line or the next traceback. */
export function messageAfter(lines: readonly string[], first: number): readonly string[] {
  const rest = lines.slice(first + 1, first + 12)
  const end = rest.findIndex(
    (line) => line.trim() === '' || line.includes('Traceback (most recent call last)'),
  )
  return end === -1 ? rest : rest.slice(0, end)
}

/** Some exceptions have a message that begins on the next line. */
export function completeMessage(exception: string, lines: readonly string[], at: number): string {
  if (!exception.endsWith(':')) return exception
  const next = lines.slice(at + 1, at + 4).find((line) => /\w/.test(line))
  return next === undefined ? exception : `${exception} ${next.trim()}`
}

const isFrame = (line: string, { file, line: number }: CodeLocation) =>
  line.includes(`"${file}", line ${number}`) || line.includes(`${file}:${number} in `)

function shorten(line: string): string {
  const text = line.trimEnd()
  return text.length <= longestLine ? text : `${text.slice(0, longestLine - 1)}…`
}
