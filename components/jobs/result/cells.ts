import { numberOf } from '@/lib/contract/output/printed-json'
import type { TableShape } from './detect-shape'
import { preview, shorten, showText } from './json-text'

/** The maximum length of a cell. The tree shows the whole value. */
const cellCharacters = 300

/** The text of a cell in one line. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return value === null ? 'null' : ''
  if (typeof value === 'string') return showText(shorten(value, cellCharacters)).replace(/[\r\n]+/g, ' ')
  if (typeof value === 'object') return preview(value, cellCharacters)
  return String(value)
}

const sampledRows = 200
const [narrowest, widest] = [6, 48]

export interface ColumnLayout {
  /** In characters. */
  width: number
  /** Only numbers: aligned to the right. */
  numeric: boolean
}

/** The layout of each column, from the first rows: measuring all rows would make scrolling jump. */
export function layOutColumns({ columns, rows }: TableShape): ColumnLayout[] {
  const sample = rows.slice(0, sampledRows)
  return columns.map((name, column) => {
    const longest = sample.reduce(
      (length, row) => Math.max(length, cellText(row[column]).length),
      name.length + 2,
    )
    const known = sample.map((row) => row[column]).filter((value) => value !== null && value !== undefined)
    const numeric = known.length > 0 && known.every((value) => numberOf(value) !== null)
    return { width: Math.min(widest, Math.max(narrowest, longest)), numeric }
  })
}

/** Numbers first, then text, then other values; missing values come last. */
export function compareCells(one: unknown, other: unknown): number {
  const [rankOne, rankOther] = [rank(one), rank(other)]
  if (rankOne !== rankOther) return rankOne - rankOther
  const [numberOne, numberOther] = [numberOf(one), numberOf(other)]
  if (numberOne !== null && numberOther !== null) return compareNumbers(numberOne, numberOther)
  if (typeof one === 'string' && typeof other === 'string') return collator.compare(one, other)
  return Number(one === true) - Number(other === true)
}

/** NaN comes last, and an infinite number equals itself. */
function compareNumbers(one: number, other: number): number {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other))
  return one < other ? -1 : Number(one > other)
}

const collator = new Intl.Collator('en', { numeric: true })

function rank(value: unknown): number {
  if (numberOf(value) !== null) return 0
  if (typeof value === 'string') return 1
  if (typeof value === 'boolean') return 2
  return typeof value === 'object' && value !== null ? 3 : 4
}
