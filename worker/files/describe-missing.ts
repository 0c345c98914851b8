import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { SkippedFile } from './safe-walk'

const maxNamed = 3

/** Returns a sentence for a job about files of a directory that were not kept; null if there are none. */
export function describeMissing(skipped: readonly SkippedFile[], place: string): string | null {
  if (skipped.length === 0) return null
  const named = skipped.slice(0, maxNamed).map(({ path, why }) => `${visibleText(path, 80)} (${why})`)
  const more = skipped.length > maxNamed ? ` and ${skipped.length - maxNamed} more` : ''
  const what = skipped.length === 1 ? `One file of ${place} was` : `${skipped.length} files of ${place} were`
  return `${what} not kept: ${named.join(', ')}${more}.`
}
