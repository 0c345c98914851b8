import { visibleText } from '@/lib/contract/text/sanitize-text'
import { plainText } from '../output/ansi/ansi-parse'
import { filterOf } from '../output/line'
import type { OutputStore } from '../output/output-store'

/** An error stands at the end of the output. */
const searchedLines = 5_000
const searchedCharacters = 4_000

/**
 * The number of the line with the error of a diagnosis, or of the traceback that ends with it; null: the output has none.
 * @param rank whose output has it; null: the job has one instance
 */
export function findErrorLine({ lines }: OutputStore, rank: number | null, error: string): number | null {
  // Programs with a terminal print errors to stdout.
  for (const stream of ['stderr', 'stdout'] as const) {
    const filter = filterOf(stream, rank)
    const count = lines.count(filter)
    const numberAt = (at: number) => lines.numberAt(filter, at)
    // Colours need space, too.
    const textAt = (at: number) =>
      plainText((lines.read(numberAt(at))?.text ?? '').slice(0, searchedCharacters)).trimEnd()
    const lowest = Math.max(0, count - searchedLines)
    for (let at = count - 1; at >= lowest; at--) {
      if (!visibleText(textAt(at).trimStart(), 500).endsWith(error)) continue
      for (let start = at; start >= lowest && start > at - 200; start--)
        if (textAt(start).endsWith('Traceback (most recent call last):')) return numberAt(start)
      return numberAt(at)
    }
  }
  return null
}
