import { nameLine } from './claim-log'
import { type FileLine, isBlankOrComment, type JobLine, readJobLine } from './jobs-file'

/** A line that says what job it wants. */
export interface ReadLine {
  number: number
  name: string
  line: JobLine
}

/** A line that is passed over, and why. */
export interface Bad {
  number: number
  text: string
  message: string
}

/** What the lines of a file say. */
export function readLines(lines: readonly FileLine[]): { good: ReadLine[]; bad: Bad[] } {
  const good: ReadLine[] = []
  const bad: Bad[] = []
  for (const { number, text } of lines) {
    if (text === null) bad.push({ number, text: '', message: 'it is not UTF-8' })
    else if (!isBlankOrComment(text)) {
      const read = readJobLine(text)
      if (read.ok) good.push({ number, name: nameLine(read.line), line: read.line })
      else bad.push({ number, text, message: read.message })
    }
  }
  return { good, bad }
}

/** How often each line stands there. */
export function countNames(lines: readonly ReadLine[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { name } of lines) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
