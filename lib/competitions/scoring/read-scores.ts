import { visibleText } from '../../contract/text/sanitize-text'

/** Maximum size of the file of a scoring program. */
export const maxScoresBytes = 1024 * 1024

const maxNamed = 5
const utf8 = new TextDecoder('utf-8', { fatal: true })
/** The texts in JSON that is an object of numbers are its keys. */
const texts = /"(?:[^"\\]|\\.)*"/g

/** The scores of an entry by column, or why they do not count, as a sentence for the hosts. */
export type ReadScores = { scores: Record<string, number> } | { problem: string }

/** Reads the file of a scoring program: a JSON object with a finite number for each declared column, and nothing else. */
export function readScores(file: Uint8Array, columns: readonly string[]): ReadScores {
  const parsed = parse(file)
  if ('problem' in parsed) return parsed
  const { text, value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return problem('is no JSON object: write one such as {"acc": 0.93}')
  const given = Object.entries(value)
  const wrong = given.filter(([, score]) => typeof score !== 'number' || !Number.isFinite(score))
  if (wrong.length > 0)
    return problem(`has values that are no finite numbers: ${named(wrong.map(([column]) => column))}`)
  if ((text.match(texts) ?? []).length !== given.length) return problem('has a column twice')
  const extra = given.map(([column]) => column).filter((column) => !columns.includes(column))
  if (extra.length > 0) return problem(`has columns that competition.yaml does not have: ${named(extra)}`)
  const missing = columns.filter((column) => !Object.hasOwn(value, column))
  if (missing.length > 0) return problem(`lacks columns of competition.yaml: ${named(missing)}`)
  return { scores: Object.fromEntries(given) as Record<string, number> }
}

function parse(file: Uint8Array): { text: string; value: unknown } | { problem: string } {
  try {
    const text = utf8.decode(file)
    return { text, value: JSON.parse(text) }
  } catch {
    return problem('is no JSON. NaN and Infinity are no numbers of JSON either')
  }
}

const problem = (what: string) => ({ problem: `The file of scores ${what}.` })

function named(columns: readonly string[]): string {
  const shown = columns.slice(0, maxNamed).map((column) => visibleText(column, 40))
  const more = columns.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
