/** A value of a Parquet file as the text of a cell. A missing value is an empty cell. */
export function cellTextOf(value: unknown, maxCharacters: number): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return numberText(value)
  const text = textOf(value)
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Date) return timeText(value)
  if (value instanceof Uint8Array) return bytesText(value)
  return typeof value === 'object' ? JSON.stringify(value, simplify) : String(value)
}

/** Values of 32 bits have no more digits than they need: 0.1, not 0.10000000149011612. */
function numberText(value: number): string {
  if (Number.isInteger(value) || Math.fround(value) !== value) return String(value)
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return String(short)
  }
  return String(value)
}

/** Without the time of the day if it is midnight. */
function timeText(value: Date): string {
  return Number.isNaN(value.getTime()) ? '' : value.toISOString().replace(/T00:00:00\.000Z$/, '')
}

const shownBytes = 32

function bytesText(bytes: Uint8Array): string {
  const hex = Array.from(bytes.subarray(0, shownBytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `0x${hex}${bytes.length > shownBytes ? `… (${bytes.length.toLocaleString('en')} bytes)` : ''}`
}

/** What JSON has no form for. */
function simplify(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  return value instanceof Uint8Array ? bytesText(value) : value
}
