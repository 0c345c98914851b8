import { visibleText } from '../../../contract/text/sanitize-text'

const maxNamed = 5
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The scores of an entry by column, or why they do not count, as a sentence for the hosts. */
export type ReadScores = { scores: Record<string, number> } | { problem: string }

export const problem = (what: string) => ({ problem: `The file of scores ${what}.` })

/** The text of a file; null: it is not UTF-8. */
export function decode(file: Uint8Array): string | null {
  try {
    return utf8.decode(file)
  } catch {
    return null
  }
}

export function parseJson(file: Uint8Array): { text: string; value: unknown } | { problem: string } {
  const text = decode(file)
  try {
    if (text !== null) return { text, value: JSON.parse(text) }
  } catch {
    // It gets the same sentence.
  }
  return problem('is no JSON. NaN and Infinity are no numbers of JSON either')
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Accepts a finite number for each column and nothing else. */
export function toScores(
  given: readonly (readonly [column: string, value: unknown])[],
  columns: readonly string[],
  hasRepeated: boolean,
): ReadScores {
  const wrong = given.filter(([, score]) => typeof score !== 'number' || !Number.isFinite(score))
  if (wrong.length > 0)
    return problem(`has values that are no finite numbers: ${named(wrong.map(([column]) => column))}`)
  if (hasRepeated) return problem('has a column twice')
  const extra = given.map(([column]) => column).filter((column) => !columns.includes(column))
  if (extra.length > 0) return problem(`has columns that competition.yaml does not have: ${named(extra)}`)
  const names = new Set(given.map(([column]) => column))
  const missing = columns.filter((column) => !names.has(column))
  if (missing.length > 0) return problem(`lacks columns of competition.yaml: ${named(missing)}`)
  return { scores: Object.fromEntries(given) as Record<string, number> }
}

export function named(columns: readonly string[]): string {
  const shown = columns.slice(0, maxNamed).map((column) => visibleText(column, 40))
  const more = columns.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
