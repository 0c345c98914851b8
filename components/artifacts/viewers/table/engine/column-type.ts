/** What all cells of a column contain, apart from empty ones. */
export type ColumnType = 'number' | 'true or false' | 'time' | 'text'

const patterns = {
  // Python and pandas write nan and inf.
  number: /^\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf(?:inity)?)\s*$/i,
  'true or false': /^(?:true|false)$/i,
  time: /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/,
} as const

/** The type of one cell that is not empty. */
export function typeOf(text: string): ColumnType {
  if (patterns.number.test(text)) return 'number'
  if (patterns['true or false'].test(text)) return 'true or false'
  return patterns.time.test(text) ? 'time' : 'text'
}

/** Whether a cell that is not empty belongs to a column of this type. */
export function hasType(text: string, type: ColumnType): boolean {
  return type === 'text' || patterns[type].test(text)
}

/** The number in a cell; NaN: none. */
export function toNumber(text: string): number {
  if (text === '') return Number.NaN
  const value = Number(text)
  if (!Number.isNaN(value)) return value
  const infinite = /^\s*([+-]?)inf(?:inity)?\s*$/i.exec(text)
  return infinite ? (infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY) : value
}
