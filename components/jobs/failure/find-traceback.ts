import { searchedEnd } from '@/lib/contract/failure/failure-kind'
import {
  parseTraceback,
  searchedCharacters,
  searchedLines,
  type Traceback,
} from '@/lib/contract/failure/parse-traceback'
import { plainText } from '../output/ansi/ansi-parse'
import { filterOf, type LineFilter } from '../output/line'
import type { OutputStore } from '../output/output-store'

/**
 * The traceback in the output of a job. Programs with a terminal print it to stdout.
 * @param failed the rank that failed first; null: the first rank that has a traceback
 */
export function findTraceback({ lines }: OutputStore, failed: number | null): Traceback | null {
  const ranks = lines.ranks.length === 0 ? [null] : failed === null ? lines.ranks : [failed]
  for (const rank of ranks) {
    for (const stream of ['stderr', 'stdout'] as const) {
      const found = parseTraceback(lastLines(lines, filterOf(stream, rank)))
      if (found) return found
    }
  }
  return null
}

/** The end of the output of a rank, both streams; null: of all ranks. */
export function findLastLines({ lines }: OutputStore, rank: number | null): string[] {
  return lastLines(lines, filterOf('all', rank), searchedEnd)
}

function lastLines(lines: OutputStore['lines'], filter: LineFilter, most = searchedLines): string[] {
  const count = lines.count(filter)
  const first = Math.max(0, count - most)
  return Array.from({ length: count - first }, (_, at) => {
    const { text = '' } = lines.read(lines.numberAt(filter, first + at)) ?? {}
    // Colours need space, too.
    return plainText(text.slice(0, 2 * searchedCharacters))
  })
}
