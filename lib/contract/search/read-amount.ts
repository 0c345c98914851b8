/** The numbers and times of a search. */

/** A finite decimal number; null: the word is none. */
export function toNumber(word: string): number | null {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word)) return null
  const value = Number(word)
  return Number.isFinite(value) ? value : null
}

const secondsOf = { s: 1, m: 60, h: 3_600, d: 86_400 } as const
/** Far longer than any job. Later times are no dates of PostgreSQL. */
const maxSeconds = 1_000 * 366 * secondsOf.d

/** The seconds of a time such as `90s`, `10m`, `2h` or `7d`; null: the word is none. */
export function toSeconds(word: string): number | null {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/i.exec(word) ?? []
  if (number === '') return null
  const seconds = Number(number) * secondsOf[unit.toLowerCase() as keyof typeof secondsOf]
  return seconds <= maxSeconds ? seconds : null
}
