import { toLineKey } from './claim-log'
import { type FileLine, isBlankOrComment, type JobLine, readJobLine } from './jobs-file'

/** A valid line with its job. */
export interface ReadLine {
  number: number
  name: string
  line: JobLine
}

/** An invalid line and the reason. */
export interface Bad {
  number: number
  text: string
  message: string
}

/** Parses the lines of a file. */
export function readLines(lines: readonly FileLine[]): { good: ReadLine[]; bad: Bad[] } {
  const good: ReadLine[] = []
  const bad: Bad[] = []
  for (const { number, text } of lines) {
    if (text === null) bad.push({ number, text: '', message: 'the line is not valid UTF-8' })
    else if (!isBlankOrComment(text)) {
      const read = readJobLine(text)
      if (read.ok) good.push({ number, name: toLineKey(read.line), line: read.line })
      else bad.push({ number, text, message: read.message })
    }
  }
  return { good, bad }
}

/** How often each line appears. */
export function countNames(lines: readonly ReadLine[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { name } of lines) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
