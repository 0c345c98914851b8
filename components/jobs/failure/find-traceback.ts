import {
  parseTraceback,
  searchedCharacters,
  searchedLines,
  type Traceback,
} from '@/lib/contract/failure/parse-traceback'
import { plainText } from '../output/ansi/ansi-parse'
import { filterOf, type LineFilter } from '../output/line'
import type { OutputStore } from '../output/output-store'

/** A traceback in the output of a job. */
export interface FoundTraceback extends Traceback {
  /** The number of its first line. */
  line: number
}

/**
 * The traceback in the output of a job. Programs with a terminal print it to stdout.
 * @param failed the rank that failed first; null: the first rank that has a traceback
 */
export function findTraceback({ lines }: OutputStore, failed: number | null): FoundTraceback | null {
  const ranks = lines.ranks.length === 0 ? [null] : failed === null ? lines.ranks : [failed]
  for (const rank of ranks) {
    for (const stream of ['stderr', 'stdout'] as const) {
      const filter = filterOf(stream, rank)
      const found = parseTraceback(lastLines(lines, filter))
      if (found === null) continue
      const first = Math.max(0, lines.count(filter) - searchedLines)
      return { ...found, line: lines.numberAt(filter, first + found.start) }
    }
  }
  return null
}

function lastLines(lines: OutputStore['lines'], filter: LineFilter): string[] {
  const count = lines.count(filter)
  const first = Math.max(0, count - searchedLines)
  return Array.from({ length: count - first }, (_, at) => {
    const { text = '' } = lines.read(lines.numberAt(filter, first + at)) ?? {}
    // Colours need space, too.
    return plainText(text.slice(0, 2 * searchedCharacters))
  })
}
