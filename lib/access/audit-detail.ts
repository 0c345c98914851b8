/** Maximum size of the detail of an event, as JSON. */
export const maxDetailBytes = 4096

/** The lengths of texts and lists that are tried, one after the other. */
const shorterLengths = [
  { characters: 500, items: 50 },
  { characters: 100, items: 10 },
  { characters: 20, items: 3 },
]

type Lengths = (typeof shorterLengths)[number]

/**
 * Returns a detail that has at most {@link maxDetailBytes}. A longer one loses the ends of its texts and lists, and says so with
 * `shortened: true`.
 */
export function shortenDetail(detail: Record<string, unknown>): Record<string, unknown> {
  if (fits(detail)) return detail
  for (const lengths of shorterLengths) {
    const shorter = { ...(shorten(detail, lengths) as Record<string, unknown>), shortened: true }
    if (fits(shorter)) return shorter
  }
  return { shortened: true, bytes: bytesOf(detail) }
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const fits = (value: unknown) => bytesOf(value) <= maxDetailBytes

function shorten(value: unknown, lengths: Lengths): unknown {
  if (typeof value === 'string') return shortenText(value, lengths.characters)
  if (Array.isArray(value)) {
    const kept = value.slice(0, lengths.items).map((item) => shorten(item, lengths))
    const left = value.length - kept.length
    return left > 0 ? [...kept, `… and ${left} more`] : kept
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).slice(0, lengths.items)
  return Object.fromEntries(
    entries.map(([key, item]) => [shortenText(key, lengths.characters), shorten(item, lengths)]),
  )
}

/** By characters and not by UTF-16 units, because PostgreSQL refuses a half of a pair. */
function shortenText(text: string, characters: number): string {
  if (text.length <= characters) return text
  const start = [...text.slice(0, 2 * characters)].slice(0, characters).join('')
  return `${start.replaceAll(/\p{Surrogate}/gu, '\ufffd')}…`
}
